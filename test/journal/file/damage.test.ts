import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { openJournal, readJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-damage-'));
  file = join(folder, 'journal.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true }));

const { run, records } = fixtureJournal({
  variants: ['a', 'b'],
  control: 'a',
  connections: [1, 25],
  rounds: 3,
  requestsPerSecond: 20,
});
const whole = linesOf([run, ...records]);

function linesOf(all: readonly JournalRecord[]): string[] {
  const path = join(mkdtempSync(join(tmpdir(), 'pgsweep-damage-')), 'journal.jsonl');
  const writer = openJournal(path);
  for (const record of all) writer.append(record);
  writer.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  rmSync(join(path, '..'), { recursive: true });
  return lines;
}

function read(lines: readonly string[]): { warnings: readonly string[]; records: JournalRecord[] } {
  writeFileSync(file, `${lines.join('\n')}\n`);
  const journal = readJournal(file);
  const { warnings } = journal;
  return { warnings: warnings.map((text) => text.replace(`${file}:`, '')), records: [...journal.records] };
}

/** The rounds that are complete. */
function roundsIn(all: readonly JournalRecord[]): number[] {
  return all.flatMap((record) => (record.type === 'round' ? [record.round] : []));
}

/** The index of the nth line of a type in a round. */
function at(type: JournalRecord['type'], round: number, nth = 0): number {
  const found = records.flatMap((record, index) =>
    record.type === type && 'round' in record && record.round === round ? [index + 1] : [],
  );
  return found[nth] ?? Number.NaN;
}

describe('a journal', () => {
  it('is read whole where nothing is damaged', () => {
    expect(read(whole)).toEqual({ warnings: [], records });
  });

  it('loses the round in which any bit of a line is another, and no other', () => {
    const random = createRandom('bits');
    for (const round of [1, 2, 3]) {
      for (const type of ['slice', 'counters', 'pass', 'round'] as const) {
        for (let i = 0; i < 12; i++) {
          const line = at(type, round);
          const bytes = Buffer.from(whole[line] ?? '');
          const byte = Math.floor(random.next() * bytes.length);
          bytes[byte] = (bytes[byte] ?? 0) ^ (1 << Math.floor(random.next() * 8));
          const { warnings, records: kept } = read(whole.with(line, bytes.toString('latin1')));
          expect(warnings).toEqual([`${line + 1}: a record is damaged or missing, so round ${round} is left out`]);
          expect(roundsIn(kept)).toEqual([1, 2, 3].filter((other) => other !== round));
        }
      }
    }
  });

  it('loses the round of a lost line', () => {
    for (const round of [1, 2, 3]) {
      const line = at('counters', round, 1);
      const { warnings, records: kept } = read(whole.toSpliced(line, 1));
      expect(warnings).toEqual([`${line + 1}: a record is damaged or missing, so round ${round} is left out`]);
      expect(roundsIn(kept)).toEqual([1, 2, 3].filter((other) => other !== round));
    }
    const end = at('round', 1);
    expect(read(whole.toSpliced(end, 1)).warnings).toEqual([
      `${end + 1}: a record is damaged or missing, so round 1 is left out`,
    ]);
    // The end of one round and the beginning of the next.
    const { warnings, records: kept } = read(whole.toSpliced(end, 2));
    expect(warnings).toEqual([`${end + 1}: 2 records are damaged or missing, so rounds 1 and 2 are left out`]);
    expect(roundsIn(kept)).toEqual([3]);
  });

  it('reads a doubled line once, wherever the second stands', () => {
    const line = at('slice', 2);
    for (const place of [line + 1, line + 3, at('slice', 1), at('slice', 3, 1)]) {
      const { warnings, records: kept } = read(whole.toSpliced(place, 0, whole[line] ?? ''));
      expect(warnings).toEqual([
        `${place + 1}: the record of line ${line + 1} stands here again, or out of its place; it is read once`,
      ]);
      expect(kept).toEqual(records);
    }
  });

  it('loses the round of a line that was moved, and not those that it was moved over', () => {
    const line = at('slice', 2);
    const without = whole.toSpliced(line, 1);
    for (const place of [at('slice', 1), at('slice', 3, 1)]) {
      const { records: kept, warnings } = read(without.toSpliced(place, 0, whole[line] ?? ''));
      expect(warnings).toHaveLength(2);
      expect(roundsIn(kept)).toEqual([1, 3]);
    }
    // Two lines that changed places.
    const swapped = whole.with(line, whole[line + 1] ?? '').with(line + 1, whole[line] ?? '');
    expect(roundsIn(read(swapped).records)).toEqual([1, 3]);
  });

  it('takes no line of another run, and of another end of this run only whole rounds', () => {
    const other = linesOf([{ ...run, id: 'another' }, ...records]);
    const line = at('slice', 2);
    const foreign = read(whole.with(line, other[line] ?? ''));
    expect(foreign.warnings).toEqual([`${line + 1}: a record is damaged or missing, so round 2 is left out`]);
    // From within round 2 on.
    const after = at('slice', 2, 1);
    const changed = records.map((record) =>
      record.type === 'slice' && record.round === 1 ? { ...record, bytes: 7 } : record,
    );
    const branch = linesOf([run, ...changed]);
    const { records: kept, warnings } = read([...whole.slice(0, after), ...branch.slice(after)]);
    expect(warnings).toHaveLength(1);
    expect(roundsIn(kept)).toEqual([1, 3]);
  });

  it('leaves out a line that is no record where nothing is missing', () => {
    const line = at('slice', 2);
    const { warnings, records: kept } = read(whole.toSpliced(line, 0, '', 'nonsense'));
    expect(warnings).toEqual([`${line + 1}: what is no record was left out`]);
    expect(kept).toEqual(records);
  });

  it('goes on after damage at its end, and measures the damaged round again', () => {
    const cut = whole.slice(0, at('round', 3) + 1);
    const line = at('slice', 3);
    const damaged = cut.with(line, (cut[line] ?? '').replace('"arm"', '"arn"')).with(-1, 'nonsense');
    writeFileSync(file, `${damaged.join('\n')}\n`);
    const again = records.slice(at('slice', 3) - 1, at('round', 3));
    const writer = openJournal(file);
    const { provenance } = run;
    for (const record of [{ type: 'resume', at: run.startedAt, provenance } as const, ...again]) writer.append(record);
    writer.close();
    const journal = readJournal(file);
    expect(roundsIn([...journal.records])).toEqual([1, 2, 3]);
    expect(journal.warnings).toHaveLength(2);
  });

  it('refuses a record whose numbers contradict each other, though its checksum fits', () => {
    const slice = records.find((record) => record.type === 'slice');
    if (slice?.type !== 'slice') throw new Error('no slice');
    const refused = (change: object, why: string): void => {
      writeFileSync(file, `${linesOf([run, { ...slice, ...change } as JournalRecord]).join('\n')}\n`);
      expect(() => [...readJournal(file).records]).toThrow(`${file}:2: not a journal record: expected ${why}`);
    };
    const { count } = slice.latency;
    refused({ ok: count - 1 }, `latency.count: ${count - 1}, as many as answers as expected`);
    refused({ latency: { ...slice.latency, p95Us: 1e9 } }, 'latency: percentiles in their order');
    refused({ variant: 'c' }, 'variant: one of the run');
    refused({ load: { connections: 7 } }, 'load: one of the run');
    refused({ windowMs: -1 }, 'windowMs: a number that is not below 0');
    refused({ outcomes: { ...slice.outcomes, statuses: { 200: 1.5 } } }, 'outcomes.statuses.200: a whole number');
    refused({ type: 'other' }, 'type: one of a record');
  });

  it('is refused where most of it is damaged, and where a line is too long to be one', () => {
    writeFileSync(file, `${whole[0]}\n${'x\n'.repeat(10_001)}`);
    expect(() => readJournal(file)).toThrow('more than 10000 lines are damaged');
    writeFileSync(file, `${whole[0]}\n"${'x'.repeat(33 * 2 ** 20)}"\n`);
    expect(() => readJournal(file)).toThrow('a line is longer than 32 MiB');
  });
});
