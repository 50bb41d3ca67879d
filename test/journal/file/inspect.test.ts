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
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-inspect-'));
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
  const path = join(mkdtempSync(join(tmpdir(), 'pgsweep-inspect-')), 'journal.jsonl');
  const writer = openJournal(path);
  for (const record of all) writer.append(record);
  writer.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  rmSync(join(path, '..'), { recursive: true });
  return lines;
}

function read(lines: readonly string[]): JournalRecord[] {
  writeFileSync(file, `${lines.join('\n')}\n`);
  return [...readJournal(file).records];
}

function refused(lines: readonly string[], line: number, why: string): void {
  expect(() => read(lines)).toThrow(`${file}:${line}: ${why}`);
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
    expect(read(whole)).toEqual(records);
  });

  it('is refused with the place of a line of which any bit is another', () => {
    const random = createRandom('bits');
    for (const type of ['slice', 'counters', 'pass', 'round'] as const) {
      for (let i = 0; i < 36; i++) {
        const line = at(type, (i % 3) + 1);
        const bytes = Buffer.from(whole[line] ?? '');
        const byte = Math.floor(random.next() * bytes.length);
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << Math.floor(random.next() * 8));
        refused(whole.with(line, bytes.toString('latin1')), line + 1, 'the record is damaged');
      }
    }
  });

  it('is refused where a line was lost, doubled or moved', () => {
    const line = at('slice', 2);
    const [own = '', next = ''] = whole.slice(line);
    refused(whole.toSpliced(line, 1), line + 1, `the record of line ${line + 2} stands here`);
    for (const place of [line + 1, line + 3, at('slice', 1), at('slice', 3, 1)]) {
      refused(whole.toSpliced(place, 0, own), place + 1, `the record of line ${line + 1} stands here`);
    }
    refused(whole.with(line, next).with(line + 1, own), line + 1, `the record of line ${line + 2} stands here`);
    refused(whole.toSpliced(line, 0, ''), line + 1, 'the record is damaged');
  });

  it('is refused where a line is of another run, or of another copy of this one', () => {
    const line = at('slice', 2);
    const other = linesOf([{ ...run, id: 'another' }, ...records]);
    refused(whole.with(line, other[line] ?? ''), line + 1, 'the record is damaged');
    const changed = records.map((record) =>
      record.type === 'slice' && record.round === 1 ? { ...record, bytes: 7 } : record,
    );
    const copy = linesOf([run, ...changed]);
    refused([...whole.slice(0, line), ...copy.slice(line)], line + 1, 'the record is from another copy of this run');
  });

  it('is resumed from the lines before the damage, as the hint says', () => {
    const line = at('slice', 3);
    const damaged = whole.with(line, (whole[line] ?? '').replace('"arm"', '"arn"'));
    const hint = expect.stringContaining(`(head -n ${line})`);
    expect(() => read(damaged)).toThrow(expect.objectContaining({ hint }));
    expect(() => openJournal(file)).toThrow(`${file}:${line + 1}: the record is damaged`);
    writeFileSync(file, `${damaged.slice(0, line).join('\n')}\n`);
    const writer = openJournal(file);
    for (const record of records.slice(line - 1)) writer.append(record);
    writer.close();
    expect([...readJournal(file).records]).toEqual(records);
  });

  it('refuses a record whose numbers contradict each other, though its checksum fits', () => {
    const slice = records.find((record) => record.type === 'slice');
    if (slice?.type !== 'slice') throw new Error('no slice');
    const contradicts = (change: object, why: string): void =>
      refused(linesOf([run, { ...slice, ...change } as JournalRecord]), 2, `not a journal record: expected ${why}`);
    const { count } = slice.latency;
    contradicts({ ok: count - 1 }, `latency.count: ${count - 1}, as many as answers as expected`);
    contradicts({ latency: { ...slice.latency, p95Us: 1e9 } }, 'latency: percentiles in their order');
    contradicts({ variant: 'c' }, 'variant: one of the run');
    contradicts({ load: { connections: 7 } }, 'load: one of the run');
    contradicts({ windowMs: -1 }, 'windowMs: a number that is not below 0');
    contradicts({ outcomes: { ...slice.outcomes, statuses: { 200: 1.5 } } }, 'outcomes.statuses.200: a whole number');
    contradicts({ type: 'other' }, 'type: one of a record');
  });

  it('has slices of variants that were proposed, and their proposals', () => {
    const slice = records.find((record) => record.type === 'slice');
    if (slice?.type !== 'slice') throw new Error('no slice');
    const variant = { name: 'c', factors: { pool: 7 }, env: { POOL_MAX: '7' } };
    const proposed: JournalRecord[] = [
      { type: 'proposed', round: 0, stage: 'search', variants: [variant] },
      { type: 'refused', round: 1, variant: 'c', reason: 'too many connections' },
      { ...slice, variant: 'c' },
    ];
    expect(read(linesOf([{ ...run, scenario: { ...run.scenario, slots: 1 } }, ...proposed]))).toEqual(proposed);
    refused(linesOf([run, ...proposed]), 4, 'not a journal record: expected variant: one of the run');
    const unnamed = { ...proposed[0], variants: [{ factors: {}, env: {} }] } as unknown as JournalRecord;
    refused(linesOf([run, unnamed]), 2, 'not a journal record: expected variants.0.name: text');
  });

  it('is refused where a line is too long to be one', () => {
    writeFileSync(file, `${whole[0]}\n"${'x'.repeat(33 * 2 ** 20)}"\n`);
    expect(() => readJournal(file)).toThrow('a line is longer than 32 MiB');
  });
});
