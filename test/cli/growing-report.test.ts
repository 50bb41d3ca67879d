import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGrowingReport, type GrowingReport } from '../../src/cli/growing-report.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { noGates } from '../../src/judge/verdicts/gate.ts';
import { runFolderAt } from '../../src/measure/run/run-folder.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

const { run: head, records } = fixtureJournal({
  variants: ['a', 'b'],
  control: 'a',
  connections: [1],
  rounds: 2,
  noise: 0.01,
});
const firstEnd = records.findIndex(({ type }) => type === 'round');

let folder = '';
let growing: GrowingReport;
const page = (): string => readFileSync(join(folder, 'report.html'), 'utf8');
const append = (more: readonly JournalRecord[]): void => {
  const journal = openJournal(join(folder, 'journal.jsonl'));
  for (const record of more) journal.append(record);
  journal.close();
};
const startRun = (): void => growing.on({ kind: 'run-started', folder, arms: 3, cells: 2 });
const endRound = (round: number, durationMs: number): void =>
  growing.on({ kind: 'round-ended', round, durationMs, undecided: 1, detectablePercent: null, open: [] });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-growing-'));
  append([head]);
  growing = createGrowingReport(runFolderAt(folder), noGates, { mostShare: Number.POSITIVE_INFINITY });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the page is there from the start, has each round, and loads itself again about once a round', () => {
  startRun();
  expect(page()).toMatch(/The run is under way: .* after 0 rounds\./);
  expect(page()).not.toContain('Unfit');
  append(records.slice(0, firstEnd + 1));
  endRound(1, 41_200);
  expect(page()).toMatch(/The run is under way: .* after 1 round\./);
  expect(page()).toContain('<meta http-equiv="refresh" content="42">');
  growing.close();
  expect(existsSync(join(folder, 'report.html'))).toBe(true);
});

test('a run that ends without a round leaves no page', () => {
  startRun();
  growing.close();
  expect(existsSync(join(folder, 'report.html'))).toBe(false);
});

test('a page that was there before stays until there is a round, also where the session ends during set-up', () => {
  const own = 'of a finished run, or of the user';
  writeFileSync(join(folder, 'report.html'), own);
  growing = createGrowingReport(runFolderAt(folder), noGates, { mostShare: Number.POSITIVE_INFINITY });
  growing.close();
  expect(page()).toBe(own);
  startRun();
  growing.close();
  expect(page()).toBe(own);
  append(records.slice(0, firstEnd + 1));
  endRound(1, 1);
  growing.close();
  expect(page()).toContain('after 1 round.');
});

test('pages that take long to write, as against rounds, are written less often', () => {
  growing = createGrowingReport(runFolderAt(folder), noGates, { mostShare: 0 });
  startRun();
  append(records.slice(0, firstEnd + 1));
  // The first round is always shown.
  endRound(1, 1);
  append(records.slice(firstEnd + 1));
  endRound(2, 1);
  expect(page()).toContain('after 1 round.');
});

test('a page that cannot be written ends no run', () => {
  rmSync(folder, { recursive: true });
  expect(() => {
    startRun();
    endRound(1, 1000);
  }).not.toThrow();
});
