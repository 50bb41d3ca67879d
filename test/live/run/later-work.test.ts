import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { comparison } from '../../judge/small-run.ts';
import { runLive } from '../../support/live-run.ts';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

async function run(text: string): Promise<Journal> {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-later-'));
  const file = 'test/live/run/later-work.yaml';
  const { journal } = await runLive({ text, file, path: join(folder, 'run') }, { emit: () => {} });
  return readJournal(journal);
}

it('charges WAL and temporary files to the arm whose sessions write them', async () => {
  const text = `title: Who writes what
target: { command: node ../../fixtures/services/sort-and-write.mjs, ready: /health }
dataset: { command: "node ../../fixtures/services/sort-and-write.mjs fill" }
variants:
  Little: {}
  Writes: { env: { ROWS: "20" } }
  Sorts: { settings: { work_mem: 64kB } }
control: Little
load: { connections: 2, requests: [{ path: / }], slice: 3s, turn: 100ms, warmup: 500ms }
rounds: { min: 1, max: 1 }
`;
  const summary = summarize(await run(text));
  const of = (variant: string, metric: 'wal_bytes_per_request' | 'temp_bytes_per_request') => {
    const { control, value } = comparison(summary, metric, variant);
    return [control, value];
  };
  const [walBefore = 0, walAfter] = of('Writes', 'wal_bytes_per_request');
  expect(walAfter).toBeGreaterThan(3 * (walBefore ?? 0));
  const [, walOfSorts] = of('Sorts', 'wal_bytes_per_request');
  expect(walOfSorts).toBeLessThan(2 * (walBefore ?? 0));
  expect(of('Writes', 'temp_bytes_per_request')).toEqual([0, 0]);
  const [, temp] = of('Sorts', 'temp_bytes_per_request');
  // 30 blocks of 8 KB: the sorted rows without what nobody asks for. A request that is under way where counters are read is in one of them.
  expect(temp).toBeGreaterThan(0.95 * 245_760);
  expect(temp).toBeLessThan(1.05 * 245_760);
  expect(summary.passes[0]?.shared?.requests).toBeGreaterThan(0);
});
