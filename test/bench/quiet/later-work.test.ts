import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { runLive } from '../../support/live-run.ts';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

async function run(text: string): Promise<Journal> {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-later-'));
  const file = 'test/bench/quiet/later-work.yaml';
  const { journal } = await runLive({ text, file, path: join(folder, 'run') }, { emit: () => {} });
  return readJournal(journal);
}

/** Services of a millisecond an answer; the last of `variants` does `later` of its work once more after the answers. */
function deferred(variants: number, later: number): string {
  const names = Array.from({ length: variants }, (_, index) => `v${index}`);
  const lines = names.map((name, index) => `  ${name}: { env: { LATER: "${index === variants - 1 ? later : 0}" } }`);
  return `title: Work after the answers
target: { command: node ../truth/deferred/deferred.mjs, ready: /health, database: none }
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
  it.each([2, 5, 11])('has whole slices among %d variants', async (variants) => {
    expect(passesIn(await run(deferred(variants, 0.3)))).toEqual([
      [true, null],
      [false, 'idle work'],
    ]);
  });

  it('has turns where it does little of it, among 11 variants', async () => {
    expect(passesIn(await run(deferred(11, 0.01)))).toEqual([[false, null]]);
  });
});
