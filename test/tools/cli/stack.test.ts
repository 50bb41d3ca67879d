import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { cli, exitCodeOf, startCli } from '../../cli/cli.ts';
import { type Changes, shortScenario } from '../../cli/short-scenario.ts';
import { dockerSays, testImages } from '../../measure/stack/docker/docker.ts';
import { needs } from '../../support/needs.ts';

const docker = await needs('docker-postgres');
const twoImages = await needs('docker-other-postgres', 'docker-postgres');
const ports = await needs('docker-ports');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-stack-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const scenario = (name: string, changes: Changes = {}): string => shortScenario(folder, name, changes);

describe('a run in containers', docker.orSkip, () => {
  const more = `stack: { postgres: { image: ${testImages.postgres}, cpuset: "0" } }`;
  /** What is left of the containers of a run that said which port its Postgres has. */
  const leftOf = (err: string): string[] => {
    const port = /is ready on port (\d+) \(container\)/.exec(err)?.[1];
    expect(port).toBeDefined();
    const all = dockerSays('ps', '--all', '--no-trunc', '--format', '{{.Names}} {{.Command}}').split('\n');
    return all.filter((line) => line.includes(`port=${port}`));
  };

  it('sweeps, a variant with a Postgres of its own too, and leaves nothing', twoImages.orSkip, async () => {
    const run = join(folder, 'containers');
    const other = `postgres: { image: "${testImages.otherPostgres}" }, settings: { shared_buffers: 16MB }`;
    const file = scenario('containers', { variant: `{ ${other} }`, more });
    const { code, err } = await cli('sweep', file, '--stack', 'docker', '--out', run);
    expect(code, err).toBe(exitCodeOf(run));
    expect(err.split('\n')[0]).toBe('stack: docker (asked for)');
    expect(leftOf(err)).toEqual([]);
    const ready = [...err.matchAll(/^Postgres (\d+)\.\d+ is ready on port \d+ \(container\)$/gm)];
    expect(new Set(ready.map(([, major]) => major)).size).toBe(2);
    const { run: head, records } = readJournal(join(run, 'journal.jsonl'));
    expect(head.provenance.stack).toBe('docker');
    expect(head.provenance.postgresBinaries).toContain(`image ${testImages.postgres} (sha256:`);
    const arms = [...records].filter((record) => record.type === 'arm');
    const found = arms.flatMap(({ arm, treatment }) => (arm === 'Other' ? (treatment ?? []) : []));
    expect(found.map((one) => one.found)).toContain('shared_buffers = 16MB (own server)');
  });

  it('through published ports warns of the proxy, and so does its report', ports.orSkip, async () => {
    const run = join(folder, 'published');
    const args = ['sweep', scenario('published', { more }), '--stack', 'docker', '--out', run];
    const { code, err } = await startCli(args, { env: { PGSWEEP_TEST_PUBLISH: '1' } }).done;
    expect(code, err).toBe(exitCodeOf(run));
    expect(err).toContain('warning: The port of the container is published by a proxy');
    expect(readFileSync(join(run, 'report.md'), 'utf8')).toMatch(/the port of the container is published by a proxy/);
    const [, port = ''] = /is ready on port (\d+) \(container\)/.exec(err) ?? [];
    expect(dockerSays('ps', '--all', '--format', '{{.Ports}}')).not.toContain(`:${port}->`);
  });

  it('leaves nothing after Ctrl-C', async () => {
    const file = scenario('interrupted', { more });
    const bench = startCli(['sweep', file, '--stack', 'docker', '--out', join(folder, 'interrupted')]);
    await bench.until('is ready on port');
    process.kill(bench.pid, 'SIGINT');
    const { code, err } = await bench.done;
    expect(code).toBe(130);
    expect(leftOf(err)).toEqual([]);
  });
});
