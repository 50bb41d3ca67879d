import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completeRounds, type Journal, openJournal, readJournal } from '../../src/journal/journal.ts';
import { JOURNAL_VERSION, type JournalRecord, type RoundRecord, type RunRecord } from '../../src/journal/records.ts';
import { testScenario } from '../fixtures/scenario.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-journal-'));
  file = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const run: RunRecord = {
  type: 'run',
  version: JOURNAL_VERSION,
  id: 'test',
  startedAt: '2026-01-31T10:00:00.000Z',
  seed: 1,
  quick: false,
  scenario: testScenario(),
  provenance: {
    pgsweepVersion: '0.1.0',
    gitCommit: null,
    cpuModel: 'test',
    cpuCount: 2,
    memoryBytes: 1,
    kernel: 'Linux',
    nodeVersion: '20',
    stack: 'embedded',
    postgresVersion: '15.1',
    postgresBinaries: 'test',
    postgresSettings: {},
    dataset: null,
  },
  withoutCounters: null,
  setUpMs: 1,
};
const round = (number: number): RoundRecord => ({
  type: 'round',
  round: number,
  startedAt: run.startedAt,
  durationMs: 1,
  phases: { bootMs: 0, warmupMs: 0, sliceMs: 1, waitMs: 0, stopMs: 0 },
});

/** A journal with its records in memory. */
function readWhole(path = file): Journal & { records: JournalRecord[] } {
  const journal = readJournal(path);
  return { ...journal, records: [...journal.records] };
}

it('gives back what was appended, also by a second writer', () => {
  const first = openJournal(file);
  first.append(run);
  first.append(round(1));
  first.close();
  const second = openJournal(file);
  second.append(round(2));
  // Read before it is closed: a record is on disk when append returns.
  const journal = readWhole();
  second.close();
  expect(journal).toEqual({ run, records: [round(1), round(2)], warnings: [] });
  expect(completeRounds(journal)).toBe(2);
});

it('leaves out a last line that a kill cut off, and says so', () => {
  const writer = openJournal(file);
  writer.append(run);
  writer.append(round(1));
  writer.close();
  const whole = readFileSync(file, 'utf8');
  // Cut at every place of the last line.
  const start = whole.indexOf('\n') + 1;
  for (let end = start + 1; end < whole.length - 1; end++) {
    writeFileSync(file, whole.slice(0, end));
    const journal = readWhole();
    expect(journal.records).toEqual([]);
    expect(journal.warnings).toEqual([`${file}:2: the last line is cut off and was left out`]);
  }
});

it('goes on after a cut-off line without losing what follows', () => {
  const writer = openJournal(file);
  writer.append(run);
  writer.close();
  appendFileSync(file, '{"type":"rou');
  const resumed = openJournal(file);
  resumed.append(round(1));
  resumed.close();
  expect(readWhole().records).toEqual([round(1)]);
});

it('names file and line of anything else that is no record', () => {
  writeFileSync(file, `${JSON.stringify(run)}\nnonsense\n${JSON.stringify(round(1))}\n`);
  expect(() => readWhole()).toThrow(`${file}:2: not a journal record`);
  writeFileSync(file, `${JSON.stringify(round(1))}\n`);
  expect(() => readJournal(file)).toThrow(`${file}:1: the first line must be the run record`);
  writeFileSync(file, `${JSON.stringify({ ...run, version: 99 })}\n`);
  expect(() => readJournal(file)).toThrow('journal version 99');
  expect(() => readJournal(join(folder, 'none'))).toThrow('cannot be read');
  expect(() => readJournal(folder)).toThrow('cannot be read');
  writeFileSync(file, '');
  expect(() => readJournal(file)).toThrow(`${file}:1: the first line must be the run record`);
});

it('leaves out probe records where nobody asks for them, and still knows its lines', () => {
  const probe = { type: 'probe', round: 1, slice: 0, arm: 'a', probe: 'p', values: { x: 1 } } as const;
  const writer = openJournal(file);
  for (const record of [run, probe, round(1), probe, round(2)]) writer.append(record);
  writer.close();
  expect([...readJournal(file, { probes: 'left out' }).records]).toEqual([round(1), round(2)]);
  expect([...readJournal(file).records]).toEqual([probe, round(1), probe, round(2)]);
  appendFileSync(file, `nonsense\n${JSON.stringify(round(3))}\n`);
  expect(() => [...readJournal(file, { probes: 'left out' }).records]).toThrow(`${file}:6: not a journal record`);
});

it('is read again and again as it was when it was opened', () => {
  const writer = openJournal(file);
  writer.append(run);
  writer.append(round(1));
  const journal = readJournal(file);
  writer.append(round(2));
  writer.close();
  expect([...journal.records]).toEqual([round(1)]);
  // Left before the end, and begun again.
  for (const _ of readJournal(file).records) break;
  expect(completeRounds(journal)).toBe(1);
  expect([...readJournal(file).records]).toEqual([round(1), round(2)]);
});

it('finds every line whatever is read at a time: long lines, characters of several bytes, CRLF', () => {
  // Two bytes a character: with odd and even lengths some are cut by every border. The longest line is over 1 MB.
  const lengths = [
    0,
    1,
    1000,
    131_001,
    131_002,
    262_143,
    262_144,
    7,
    600_000,
    ...Array.from({ length: 300 }, (_, i) => 7 * i),
  ];
  const records = lengths.map((length, i) => ({ ...round(i + 1), startedAt: 'é'.repeat(length) }));
  for (const lineEnd of ['\n', '\r\n']) {
    const lines = [run, ...records].map((record) => `${JSON.stringify(record)}${lineEnd}`);
    writeFileSync(file, lines.join(''));
    expect(readWhole()).toEqual({ run, records, warnings: [] });
    writeFileSync(file, `${lines.join('')}{"cut":"${'é'.repeat(300_000)}`);
    expect(readWhole().warnings).toEqual([`${file}:${lines.length + 1}: the last line is cut off and was left out`]);
    expect(readWhole().records).toHaveLength(records.length);
    openJournal(file).close();
    expect(readWhole()).toEqual({ run, records, warnings: [] });
    writeFileSync(file, lines.with(200, `nonsense${lineEnd}`).join(''));
    expect(() => readWhole()).toThrow(`${file}:201: not a journal record`);
  }
});
