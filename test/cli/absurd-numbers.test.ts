import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRandom, type Random, seedOf } from '../../src/base/random.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { JournalRecord, RunRecord } from '../../src/journal/records.ts';
import { sessionJournal } from '../judge/between-runs/sessions.ts';
import { run } from './in-process.ts';

/** The last four were internal errors or took for ever. */
const JOURNALS = [...Array(20).keys(), 69, 109, 120, 122];
const TABLES = 20;
/** What a disk, another program or a joker may have written in place of a number. */
const absurd: readonly unknown[] = [
  ...[1e308, -1e308, Number.MAX_VALUE, 1e300, 1e154, 9e15, 2 ** 53 - 1, 2 ** 32],
  ...[0, -0, -1, -1e-300, 5e-324, 1e-308, 1e-9, 0.5],
  ...['NaN', 'Infinity', null, ''],
];

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-absurd-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;

type Place = readonly (string | number)[];

/** Where numbers stand in a record. */
function numbersIn(value: unknown, at: Place = []): Place[] {
  if (typeof value === 'number') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, [...at, key]));
}

function withValue<T>(record: T, place: Place, value: unknown): T {
  const copy = structuredClone(record);
  let inner = copy as Record<string, unknown>;
  for (const key of place.slice(0, -1)) inner = inner[key] as Record<string, unknown>;
  inner[place.at(-1) ?? ''] = value;
  return copy;
}

const options = {
  rounds: 4,
  probes: () => ({ processes: { service_cpu_cores: 0.5, postgres_memory_max_bytes: 1e8 } }),
  work: () => ({ serviceCpuMs: 1, postgresCpuMs: 2, walBytes: 300 }),
  requests: () => ({ get: { share: 0.5, latency: 1 }, post: { share: 0.5, latency: 1.5 } }),
  parts: true,
};

function write(name: string, head: RunRecord, records: readonly JournalRecord[]): string {
  const path = join(folder, name);
  mkdirSync(path);
  const journal = openJournal(join(path, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  return path;
}

/** Up to three numbers of a run are absurd, each in one record, or in all of its kind. */
function absurdRun(name: string, random: Random): { readonly path: string; readonly what: string } {
  const { run: head, records } = sessionJournal(name, { ...options, hour: 1 });
  let all: readonly JournalRecord[] = [head, ...records];
  const changes = Array.from({ length: 1 + Math.floor(3 * random.next()) }, () => {
    const type = pick(random, [...new Set(all.map((record) => record.type))]);
    const some = pick(
      random,
      all.filter((record) => record.type === type),
    );
    const place = pick(random, numbersIn(some));
    const value = pick(random, absurd);
    const isAll = random.next() < 0.5;
    if (place === undefined) return '';
    all = all.map((record) => {
      const isMeant = isAll ? record.type === type : record === some;
      return isMeant && numbersIn(record).some((at) => at.join() === place.join())
        ? withValue(record, place, value)
        : record;
    });
    return `${isAll ? 'every' : 'a'} ${type}.${place.join('.')} = ${JSON.stringify(value)}`;
  });
  const [first, ...others] = all;
  return { path: write(name, first as RunRecord, others), what: changes.join(', ') };
}

/** All of the contract but an internal error and a gate. */
const EXIT_CODES = [0, 2, 3];

async function requireNoBug(what: string, ...args: string[]): Promise<void> {
  const { code, out, err } = await run(...args);
  expect(EXIT_CODES, `${args[0]}: ${what}\n${err}`).toContain(code);
  // A table of somebody's own may have such texts in its cells.
  expect(out, what).not.toMatch(args[0] === 'delta' ? /(NaN|Infinity) ?%|undefined/ : /\b(NaN|undefined|Infinity)\b/);
}

describe('absurd numbers are read, refused or called unfit, and are no bug', { timeout: 180_000 }, () => {
  it(`in journals, by compare and report: ${JOURNALS.length} of them`, async () => {
    const base = sessionJournal('base', options);
    const fit = write('base', base.run, base.records);
    for (const i of JOURNALS) {
      const { path, what } = absurdRun(`head-${i}`, createRandom(seedOf('absurd', i)));
      await requireNoBug(what, 'compare', '--no-limits', ...(i % 2 === 0 ? [fit, path] : [path, fit, '--json']));
      if (i % 5 === 0) await requireNoBug(what, 'report', '--no-limits', path, '--full');
      rmSync(path, { recursive: true });
    }
  });

  it(`in tables, by delta: ${TABLES} of them`, async () => {
    for (let i = 0; i < TABLES; i++) {
      const random = createRandom(seedOf('absurd table', i));
      const cell = (): unknown => (random.next() < 0.5 ? pick(random, absurd) : 10 + random.next());
      const rows = Array.from({ length: 6 }, (_, row) => [`test ${row}`, cell(), cell(), cell()]);
      const lines = [['test', 'A', 'B', 'C'], ['-', '-', '-', '-'], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
      const file = join(folder, `table-${i}.md`);
      writeFileSync(file, `${lines.join('\n')}\n`);
      const style = i % 3 === 0 ? ['--style', 'classic'] : [];
      await requireNoBug(lines.join('\n'), 'delta', file, '--control', 'A', ...style);
    }
  });
});
