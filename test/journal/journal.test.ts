import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completeRounds, followJournal, type Journal, openJournal, readJournal } from '../../src/journal/journal.ts';
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

/** The lines that a writer makes of records. */
function written(records: readonly JournalRecord[]): string[] {
  const path = join(folder, 'written.jsonl');
  rmSync(path, { force: true });
  const writer = openJournal(path);
  for (const record of records) writer.append(record);
  writer.close();
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

it('gives back a run whose URL is a secret', () => {
  const scenario = { ...testScenario(), target: { kind: 'url', url: '***' } } as const;
  const writer = openJournal(file);
  writer.append({ ...run, scenario });
  writer.close();
  expect(readJournal(file).run.scenario).toEqual(scenario);
});

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

it('stays intact where two write it at the same time: the one that finds a record of the other writes no more', () => {
  const first = openJournal(file);
  first.append(run);
  first.append(round(1));
  const second = openJournal(file);
  second.append(round(2));
  expect(() => first.append(round(2))).toThrow(
    expect.objectContaining({ code: 'journal', message: `another process has changed ${file} during this run` }),
  );
  second.append(round(3));
  for (const writer of [first, second]) writer.close();
  expect(readWhole()).toEqual({ run, records: [round(1), round(2), round(3)], warnings: [] });
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

it('keeps a last record that only lacks its line feed, and goes on behind it', () => {
  writeFileSync(file, written([run, round(1)]).join('\n'));
  expect(readWhole()).toEqual({ run, records: [round(1)], warnings: [] });
  const resumed = openJournal(file);
  resumed.append(round(2));
  resumed.close();
  expect(readWhole()).toEqual({ run, records: [round(1), round(2)], warnings: [] });
});

it('refuses what does not begin with the head of a run', () => {
  const [head = '', end = ''] = written([run, round(1)]);
  const refused = (text: string, message: string): void => {
    writeFileSync(file, text);
    expect(() => readJournal(file)).toThrow(message);
  };
  refused(`${end}\n`, `${file}:1: the run record is damaged: its checksum does not fit`);
  refused(`${JSON.stringify(round(1))}\n`, `${file}:1: the first line must be the run record`);
  refused('', `${file}:1: the first line must be the run record`);
  refused(
    `${head.replace('"seed":1', '"seed":2')}\n`,
    `${file}:1: the run record is damaged: its checksum does not fit`,
  );
  refused(`${JSON.stringify(run)}\n`, `${file}:1: the run record is damaged: its checksum is missing`);
  refused(`${JSON.stringify({ ...run, version: 99 })}\n`, 'journal version 99 cannot be judged by this pgsweep');
  expect(() => readJournal(join(folder, 'none'))).toThrow('cannot be read');
  expect(() => readJournal(folder)).toThrow('cannot be read');
});

it('a journal of before says which pgsweep can judge it', () => {
  for (const version of [1, 2]) {
    writeFileSync(
      file,
      `${JSON.stringify({ ...run, version, provenance: { ...run.provenance, gitCommit: '070d3df' } })}\n${JSON.stringify(round(1))}\n`,
    );
    expect(() => readJournal(file)).toThrow(
      expect.objectContaining({
        message: `${file}:1: journal version ${version} cannot be judged by this pgsweep`,
        hint: expect.stringContaining('the pgsweep that wrote it: 0.1.0, commit 070d3df'),
      }),
    );
  }
});

it('leaves out probe records where nobody asks for them, and still knows its lines', () => {
  const probe = { type: 'probe', round: 1, slice: 0, arm: 'a', probe: 'p', values: { x: 1 } } as const;
  const writer = openJournal(file);
  for (const record of [run, probe, round(1), probe, round(2)]) writer.append(record);
  writer.close();
  expect([...readJournal(file, { probes: 'left out' }).records]).toEqual([round(1), round(2)]);
  expect([...readJournal(file).records]).toEqual([probe, round(1), probe, round(2)]);
  appendFileSync(file, 'nonsense\n');
  expect(() => readJournal(file, { probes: 'left out' })).toThrow(`${file}:6: the record is damaged`);
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
    const lines = written([run, ...records]).map((line) => `${line}${lineEnd}`);
    writeFileSync(file, lines.join(''));
    expect(readWhole()).toEqual({ run, records, warnings: [] });
    writeFileSync(file, `${lines.join('')}{"cut":"${'é'.repeat(300_000)}`);
    expect(readWhole().warnings).toEqual([`${file}:${lines.length + 1}: the last line is cut off and was left out`]);
    expect(readWhole().records).toHaveLength(records.length);
    openJournal(file).close();
    expect(readWhole()).toEqual({ run, records, warnings: [] });
    writeFileSync(file, lines.with(200, `nonsense${lineEnd}`).join(''));
    expect(() => readJournal(file)).toThrow(`${file}:201: the record is damaged`);
  }
});

it('is followed while it is written: each look has what came since the last, and probe records are left out', () => {
  const journal = openJournal(file);
  journal.append(run);
  journal.append(round(1));
  const follow = followJournal(file, { probes: 'left out' });
  const look = (): JournalRecord[] => [...follow().records];
  expect(look()).toEqual([round(1)]);
  expect(look()).toEqual([]);
  journal.append({ type: 'probe', round: 2, slice: 0, arm: 'a', probe: 'processes', values: {} });
  journal.append(round(2));
  journal.append(round(3));
  expect(look()).toEqual([round(2), round(3)]);
  expect(follow().run).toEqual(run);
  journal.close();
});

it('leaves out what a probe has seen and no journal can hold, and refuses what is no number', () => {
  const seen = (values: Record<string, number>): JournalRecord => {
    return { type: 'probe', round: 1, slice: 0, arm: 'a', probe: 'service-metrics', values };
  };
  const values = { open: 5, most: 1.8446744073709552e19, least: 1e-200 };
  writeFileSync(file, `${written([run, seen(values), round(1)]).join('\n')}\n`);
  expect(readWhole().records).toEqual([seen({ open: 5 }), round(1)]);
  writeFileSync(file, `${written([run, seen({ open: Number.NaN })]).join('\n')}\n`);
  expect(() => readWhole()).toThrow(`${file}:2: not a journal record: expected values.open: a number`);
});

it('refuses a switch that lacks its parts, with the line', () => {
  const [control, ...others] = run.scenario.variants;
  const scenario = { ...run.scenario, variants: [{ ...control, live: {} }, ...others] } as RunRecord['scenario'];
  writeFileSync(file, `${written([{ ...run, scenario }]).join('\n')}\n`);
  expect(() => readJournal(file)).toThrow(
    `${file}:1: not a run record: expected scenario.variants.0.live.settings: a list`,
  );
});
