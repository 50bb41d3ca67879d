import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { summarize } from '../../../src/analysis/summary.ts';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { comparison } from '../../analysis/small-run.ts';
import { runLive } from '../../support/live-run.ts';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

async function run(text: string): Promise<Journal> {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-later-'));
  const file = 'test/live/run/later-work.yaml';
  const { journal } = await runLive({ text, file, path: join(folder, 'run') }, { emit: () => {} });
  return readJournal(journal);
}

/** Services of a millisecond an answer; the last of `variants` does `later` of its work once more after the answers. */
function deferred(variants: number, later: number): string {
  const names = Array.from({ length: variants }, (_, index) => `v${index}`);
  const lines = names.map((name, index) => `  ${name}: { env: { LATER: "${index === variants - 1 ? later : 0}" } }`);
  return `title: Work after the answers
target: { command: node ../../bench/truth/deferred/deferred.mjs, ready: /health, database: none }
variants:
${lines.join('\n')}
control: v0
load: { connections: 2, requests: [{ path: / }], slice: 1600ms, turn: 200ms, warmup: 300ms }
probes: { all: off }
rounds: { min: 1, max: 1 }
`;
}

/** Of each pass: whether it was made again, and why in whole slices. */
function passesIn(journal: Journal): unknown[] {
  return [...journal.records].flatMap((record) =>
    record.type === 'pass' ? [[record.repeated ?? false, record.wholeSlices ?? null]] : [],
  );
}

describe('a service that works after its answers', () => {
  it.each([2, 11])('has whole slices among %d variants', async (variants) => {
    expect(passesIn(await run(deferred(variants, 0.3)))).toEqual([
      [true, null],
      [false, 'idle work'],
    ]);
  });

  it('has turns where it does little of it, among 11 variants', async () => {
    expect(passesIn(await run(deferred(11, 0.01)))).toEqual([[false, null]]);
  });
});

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
  // 30 blocks of 8 KB: the sorted rows without what nobody asks for.
  expect(temp).toBeGreaterThan(0.99 * 245_760);
  expect(temp).toBeLessThan(1.01 * 245_760);
  expect(summary.passes[0]?.shared?.requests).toBeGreaterThan(0);
});
