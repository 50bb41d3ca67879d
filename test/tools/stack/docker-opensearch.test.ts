import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import { runLabel } from '../../../src/measure/stack/docker/compose.ts';
import { startDockerOpenSearch } from '../../../src/measure/stack/docker/opensearch.ts';
import { buildImage, dockerSays, labelled, testImages } from '../../measure/stack/docker/docker.ts';
import { askNode } from '../../measure/stack/opensearch.ts';
import { needs } from '../../support/needs.ts';

const docker = await needs('docker-opensearch');
const ports = await needs('docker-ports');

let reaper: Reaper;
let temporary: string;
beforeAll(() => {
  reaper = startReaper();
  temporary = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  vi.stubEnv('PGSWEEP_TMP', temporary);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
  await reaper.close();
});

describe('OpenSearch in a container', docker.orSkip, () => {
  afterEach(() => {
    expect(labelled(runLabel)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('indexes and finds, within its limits, and leaves nothing', async () => {
    const options = { reaper, image: testImages.openSearch, heapMb: 256, limits: { memory: '1g', cpuset: '0-1' } };
    const node = await startDockerOpenSearch(docker.has, options);
    expect(node).toMatchObject({ kind: 'docker', heapMb: 256 });
    expect(node.version).toMatch(/^\d+\.\d+\.\d+$/);
    await askNode(node.url, 'PUT', '/a-schools/_doc/1?refresh=true', { name: 'Grand Bend' });
    const found = await askNode(node.url, 'GET', '/a-schools/_search?q=grand');
    expect(found.body.hits.total.value).toBe(1);
    const [container = ''] = labelled(runLabel);
    const limits = '{{.HostConfig.CpusetCpus}} {{.HostConfig.Memory}}';
    expect(dockerSays('inspect', '--format', limits, container)).toBe('0-1 1073741824');
    expect(isRunning({ pid: node.pid ?? 0, group: false })).toBe(true);
    expect(await node.logTail(400)).toContain('started');
    await node.stop();
    expect(isRunning({ pid: node.pid ?? 0, group: false })).toBe(false);
  });

  it('that answers and never gets healthy is given up, with its last lines and the next step', async () => {
    const image = `${testImages.openSearch}-red`;
    buildImage(image, 'red-opensearch', { BASE: testImages.openSearch });
    const options = { reaper, image, heapMb: 256, redLimitMs: 1000 };
    // That it answers is seen through a published port, where there can be one.
    const engine = { ...docker.has, hostNetwork: !ports.isHere };
    const error = await startDockerOpenSearch(engine, options).catch((reason: unknown) => reason);
    dockerSays('image', 'rm', image);
    expect(error).toBeInstanceOf(PgsweepError);
    const { message, hint } = error as PgsweepError;
    const [first, ...log] = message.split('\n');
    expect(first).toBe(
      'OpenSearch in its container is unhealthy: it answers, and its state stayed red for 1 s. Its log says:',
    );
    expect(log.length).toBeGreaterThan(0);
    expect(hint).toMatch(/stack\.opensearch\.image.*--stack embedded$/);
  });

  it('that cannot live on its memory says so, with its last lines', async () => {
    const options = { reaper, image: testImages.openSearch, heapMb: 512, limits: { memory: '40m' } };
    const error = await startDockerOpenSearch(docker.has, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PgsweepError);
    const { message, hint } = error as PgsweepError;
    expect(message).toMatch(/^OpenSearch in its container ended with exit code \d+\. Its log says:/);
    expect(hint).toContain('stack.opensearch.heap');
  });
});
