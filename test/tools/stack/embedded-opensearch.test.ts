import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import { startEmbeddedOpenSearch } from '../../../src/measure/stack/embedded/opensearch.ts';
import { askNode } from '../../measure/stack/opensearch.ts';
import { needs } from '../../support/needs.ts';
import { runningProcesses } from '../../support/processes.ts';

const openSearch = await needs('opensearch');
const young = await needs('opensearch-3');

let reaper: Reaper;
let temporary: string;
beforeAll(() => {
  reaper = startReaper();
  temporary = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  vi.stubEnv('PGSWEEP_TMP', temporary);
});
afterEach(() => {
  expect(readdirSync(temporary)).toEqual([]);
  expect(runningProcesses().filter(({ args }) => args.includes(temporary))).toEqual([]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
  await reaper.close();
});

describe('OpenSearch 3', young.orSkip, () => {
  test('starts on a Java of its own, indexes, searches, and leaves nothing', async () => {
    const node = await startEmbeddedOpenSearch({ reaper, version: '3', heapMb: 384 });
    expect(node).toMatchObject({ version: young.has.version, java: `Java ${young.has.javaMajor}` });
    await askNode(node.url, 'PUT', '/school/_doc/1?refresh=true', { name: 'North High' });
    const script = { source: "ctx._source.name = 'South'", lang: 'painless' };
    const updated = await askNode(node.url, 'POST', '/school/_update_by_query?refresh=true', { script });
    expect(updated.body).toMatchObject({ updated: 1, failures: [] });
    const found = await askNode(node.url, 'POST', '/school/_search', { query: { match: { name: 'south' } } });
    expect(found.body.hits.hits).toHaveLength(1);
    await node.stop();
    expect(await node.exited).toEqual({ code: 143, signal: null });
  });
});

describe('an OpenSearch node of this machine', openSearch.orSkip, () => {
  test('starts, tells its progress, indexes, searches, stops at once and leaves nothing', async () => {
    const progress: string[] = [];
    const node = await startEmbeddedOpenSearch({ reaper, heapMb: 384, onProgress: (line) => progress.push(line) });
    const { version, url, java } = node;
    const { port } = new URL(url);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(progress.slice(-2)).toEqual([
      `starting OpenSearch ${version} (embedded, ${java}, heap 384 MB)`,
      `OpenSearch ${version} is ready on port ${port}`,
    ]);
    expect((await askNode(url, 'GET', '/')).body.version).toMatchObject({
      distribution: 'opensearch',
      number: version,
    });
    const { body: nodes } = await askNode(url, 'GET', '/_nodes/jvm,process');
    const [only] = Object.values(nodes.nodes) as {
      jvm: { mem: { heap_max_in_bytes: number } };
      process: { id: number };
    }[];
    expect(only?.process.id).toBe(node.pid);
    expect(only?.jvm.mem.heap_max_in_bytes).toBe(384 * 2 ** 20);
    // Java keeps counters there, whatever its folder for temporary files is.
    expect(existsSync(join('/tmp', `hsperfdata_${userInfo().username}`, `${node.pid}`))).toBe(false);

    expect((await askNode(url, 'PUT', '/school', { settings: { number_of_replicas: 0 } })).status).toBe(200);
    await askNode(url, 'PUT', '/school/_doc/1?refresh=true', { name: 'North High' });
    const found = await askNode(url, 'POST', '/school/_search', { query: { match: { name: 'north' } } });
    expect(found.body.hits.hits).toHaveLength(1);
    // The modules that the zip lacks are there: reindex, Painless, analysis.
    const script = { source: "ctx._source.name = 'South'", lang: 'painless' };
    const updated = await askNode(url, 'POST', '/school/_update_by_query?refresh=true', { script });
    expect(updated.body).toMatchObject({ updated: 1, failures: [] });
    expect(
      (await askNode(url, 'POST', '/_analyze', { tokenizer: 'standard', filter: ['stop'], text: 'the x' })).status,
    ).toBe(200);
    expect((await askNode(url, 'GET', '/_cluster/health')).body.status).toBe('green');

    await Promise.all([node.stop(), node.stop()]);
    // With log4j's shutdown hook it takes 30 s, and `stop` would have killed it after 5.
    expect(await node.exited).toEqual({ code: 143, signal: null });
    expect(isRunning({ pid: node.pid, group: true })).toBe(false);
  });

  test('tells when it ends by itself', async () => {
    await using node = await startEmbeddedOpenSearch({ reaper });
    process.kill(node.pid, 'SIGKILL');
    expect(await node.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await node.logTail()).toContain('started');
  });

  test('is ended when the bench is killed, and its data with it', async () => {
    const script = fileURLToPath(new URL('../../measure/stack/embedded/killed-search-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(bench.stdout, 'data');
    const { pid, logFile } = JSON.parse(String(line));
    expect(isRunning({ pid, group: true })).toBe(true);
    bench.kill('SIGKILL');
    await vi.waitFor(() => expect(isRunning({ pid, group: true })).toBe(false), { timeout: 120_000, interval: 50 });
    await vi.waitFor(() => expect(existsSync(dirname(logFile))).toBe(false), { timeout: 120_000, interval: 50 });
  });

  test('is refused a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = (server.address() as { port: number }).port;
    await expect(startEmbeddedOpenSearch({ reaper, port })).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringMatching(`OpenSearch cannot listen on port ${port} of 127.0.0.1: .*EADDRINUSE`),
      hint: expect.stringContaining('give another port'),
    });
    server.close();
  });

  test('that cannot start is answered with the cause from its log', async () => {
    await expect(startEmbeddedOpenSearch({ reaper, heapMb: 1 })).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringMatching(/^OpenSearch .* ended with exit code 1\. Its log says:\n/),
    });
  });
});
