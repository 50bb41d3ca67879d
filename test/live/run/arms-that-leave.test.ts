import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { PLANTED_FILE, plantedScenario } from '../../bench/planted.ts';
import { expectBalanced } from '../../fixtures/balanced-places.ts';
import { runLive } from '../../support/live-run.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A hundred times the work for an answer: whatever a machine does, it is worse by more than the margin after four rounds. */
const work = { Small: 20, Other: 20, Slow: 2000 };
const text = (rounds: number): string =>
  `question: best\n${plantedScenario({
    title: 'What leaves',
    work,
    load: 'connections: 2, slice: 600ms, warmup: 200ms',
    rounds: `min: 4, max: ${rounds}`,
  }).trim()}\n`;

it('a service that cannot win is not started after it left, nor when the run is resumed, and its change stands', async () => {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-leave-'));
  folders.push(path);
  const { journal: file } = runFolderAt(path);
  const run = (rounds: number, resumed: boolean) =>
    runLive(
      { text: text(rounds), file: PLANTED_FILE, path },
      {
        decideStop: () => ({ ...decideStop(readJournal(file)), stop: false }),
        emit: () => {},
        ...(resumed && { resume: readJournal(file) }),
      },
    );
  const startsIn = (round: number): string[] =>
    [...readJournal(file).records].flatMap((record: JournalRecord) =>
      record.type === 'arm' && record.round === round ? [record.arm] : [],
    );
  await run(6, false);
  expect(startsIn(4).sort()).toEqual(['Other', 'Slow', 'Small', 'Small (A/A)']);
  const left = [...readJournal(file).records].flatMap((record) => (record.type === 'left' ? [record] : []));
  const last = Math.max(...(left.at(-1)?.cells.map(({ after }) => after) ?? []));
  expect(last).toBeLessThan(6);
  expect(left.at(-1)?.cells.map(({ variant }) => variant)).toEqual(['Slow']);
  expect(startsIn(6)).not.toContain('Slow');
  const changeOf = () => {
    const all = summarize(readJournal(file)).comparisons.filter(({ metric }) => metric === 'requests_per_s');
    return (
      all
        .filter(({ variant }) => variant === 'Slow')
        // A/A of a few rounds may call the session unfit before or after: that is no part of the change.
        .map(({ interval, rounds, notes }) => ({
          interval,
          rounds,
          notes: notes.filter(({ kind }) => kind !== 'unfit'),
        }))
    );
  };
  const before = changeOf();
  expect(before[0]?.notes).toContainEqual({ kind: 'left', after: before[0]?.rounds });
  await run(7, true);
  expect(startsIn(7).sort()).toEqual(['Other', 'Small', 'Small (A/A)']);
  expect(changeOf()).toEqual(before);
  // Before it left and after, over both sessions.
  const places = [...readJournal(file).records].flatMap((record) =>
    record.type === 'round' ? [record.places?.arms ?? []] : [],
  );
  expect(places).toHaveLength(7);
  expectBalanced(places.filter((arms) => arms.includes('Slow')));
  expectBalanced(places.filter((arms) => !arms.includes('Slow')));
});
