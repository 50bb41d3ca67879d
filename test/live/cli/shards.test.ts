import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { cli, exitCodeOf, startCli } from '../../cli/cli.ts';

const roundsIn = (run: string): number[] =>
  [...readJournal(runFolderAt(run).journal).records].flatMap((record) =>
    record.type === 'round' ? [record.round] : [],
  );

it('two shards of this machine run their own rounds, and are merged into one run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-shards-'));
  // A closed loop takes all of a machine, which other tests want, too.
  const server = createServer((_, response) => void setTimeout(() => response.end('ok'), 10));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'shared.yaml');
  writeFileSync(
    file,
    `target: { url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}' }
variants: { A: {}, B: {} }
control: A
load: { connections: 2, slice: 300ms, warmup: 100ms, requests: [{ path: / }] }
`,
  );
  const [one, two, merged] = ['one', 'two', 'merged'].map((name) => join(folder, name)) as [string, string, string];
  const first = await cli('sweep', file, '--shard', '1/2', '--rounds', '4', '--out', one);
  expect(first.code, first.err).toBe(0);
  expect(first.err).toContain('shard 1 of 2, which share 4 rounds');
  const env = { JOB_COMPLETION_INDEX: '1' };
  const second = await startCli(['sweep', file, '--shard', 'env/2', '--rounds', '4', '--out', two], { env }).done;
  expect(second.code, second.err).toBe(0);
  expect([one, two].map(roundsIn)).toEqual([
    [1, 3],
    [2, 4],
  ]);
  const { code, err } = await cli('merge', one, two, '--out', merged, '--json');
  expect(code, err).toBe(exitCodeOf(merged));
  const summary = JSON.parse(readFileSync(join(merged, 'summary.json'), 'utf8'));
  expect(summary.run).toMatchObject({ rounds: 4, complete: true, seed: 1 });
  expect(summary.machines.machines).toMatchObject([{ shards: [1, 2], rounds: 4 }]);
});
