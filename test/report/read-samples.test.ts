import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { readSamples } from '../../src/report/read-samples.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

const journal = fixtureJournal({ variants: ['a', '=b'], control: 'a', connections: [25], rounds: 2 });
const data = aggregateRun(journal);
const load = { connections: 25 };
const cell = { variant: 'a', load, repeat: false };
const passes = journal.records.flatMap((record) => (record.type === 'pass' ? [record] : []));
/** When the pass of a round begins. */
const startMs = (round: number): number =>
  Math.min(
    ...journal.records.flatMap((record) =>
      record.type === 'slice' && record.round === round ? [Date.parse(record.startedAt)] : [],
    ),
  );
const at = (round: number, share: number): string =>
  new Date(startMs(round) + share * (passes[0]?.durationMs ?? 0)).toISOString();
/** How a row begins that was sampled then: `at,round,slice,arm`. */
const taken = (at: string, round: number, arm: string): string => {
  const name = arm.replace("'", '');
  const own = journal.records.find((one) => one.type === 'slice' && one.round === round && one.arm === name);
  return `${at},${round},${own?.type === 'slice' ? own.slice : ''},${arm}`;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-samples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'samples'));
});

const write = (name: string, lines: readonly string[]): void =>
  writeFileSync(join(folder, 'samples', name), `${lines.join('\n')}\n`);
const read = () => readSamples(folder, data, new Set(['a', '=b']));
const HEAD = 'at,round,slice,arm';

describe('samples in time', () => {
  it('become means of equal parts of the pass that they were taken in', () => {
    write('wait-events.csv', [
      `${HEAD},busy,lock`,
      `${taken(at(1, 0.01), 1, 'a')},2,0`,
      `${taken(at(1, 0.02), 1, 'a')},4,0`,
      `${taken(at(1, 0.99), 1, 'a')},7,1`,
      `${taken(at(2, 0.5), 2, 'a')},9,1`,
      `${taken(at(2, 0.5), 2, 'a#2')},5,1`,
    ]);
    const { series, cutOff } = read();
    expect(series.map(({ name }) => name)).toEqual(['busy_sessions', 'lock_sessions']);
    const nulls = (count: number): null[] => new Array<null>(count).fill(null);
    expect(series[0]?.of(cell)).toEqual(
      new Map([
        [1, [3, ...nulls(10), 7]],
        [2, [...nulls(6), 9, ...nulls(5)]],
      ]),
    );
    expect(series[0]?.of({ ...cell, repeat: true })).toEqual(new Map([[2, [...nulls(6), 5, ...nulls(5)]]]));
    expect(cutOff).toEqual([]);
  });

  it("has the service's gauges under their own names, and not its counters", () => {
    write('service-metrics.csv', [
      `${HEAD},metric,statistic,value`,
      `${taken(at(1, 0.5), 1, "'=b")},pg_pool_waiting,value,3`,
      `${taken(at(1, 0.5), 1, "'=b")},requests_total,total,300`,
    ]);
    const { series } = read();
    expect(series.map(({ name }) => name)).toEqual(['pg_pool_waiting']);
    expect(series[0]?.of({ ...cell, variant: '=b' }).get(1)?.[6]).toBe(3);
  });

  it('are passed over outside of passes, of others, and where they are no numbers', () => {
    write('wait-events.csv', [
      `${HEAD},busy`,
      `${taken(at(1, -5), 1, 'a')},2`,
      `${taken(at(1, 1.5), 1, 'a')},2`,
      `${taken('never', 1, 'a')},2`,
      `${taken(at(1, 0.5), 1, 'nobody')},2`,
      `${taken(at(1, 0.5), 1, 'a')},many`,
      `${at(1, 0.5)},1`,
    ]);
    expect(read().series.flatMap(({ of }) => [...of(cell)])).toEqual([]);
  });

  it('lie in the pass of their slice, also where the clock was set back and showed its time twice', () => {
    // The second round begins when the first one did.
    const backMs = startMs(2) - startMs(1);
    const records = journal.records.map((record) =>
      record.type === 'slice' && record.round === 2
        ? { ...record, startedAt: new Date(Date.parse(record.startedAt) - backMs).toISOString() }
        : record,
    );
    write('wait-events.csv', [
      `${HEAD},busy`,
      `${taken(at(1, 0.5), 1, 'a')},2`,
      `${taken(at(1, 0.5), 2, 'a')},8`,
      // The arm had load in another slice.
      `${at(1, 0.5)},2,99,a,20`,
    ]);
    const { series } = readSamples(folder, aggregateRun({ ...journal, records }), new Set(['a']));
    const drawn = [1, 2].map((round) => series[0]?.of(cell).get(round)?.[6]);
    expect(drawn).toEqual([2, 8]);
  });

  it('of a bounded run lie in the slice of their arm, in fine parts, with CPU and memory', () => {
    const bounded = aggregateRun({
      ...journal,
      run: {
        ...journal.run,
        scenario: { ...journal.run.scenario, load: { ...journal.run.scenario.load, forMs: 6000 } },
      },
      records: journal.records.map((record) => {
        if (record.type === 'pass') return { ...record, wholeSlices: 'kind of load', durationMs: 20_000 };
        const wait = record.type === 'slice' ? 6000 * ['a', 'a#2', '=b'].indexOf(record.arm) : 0;
        return record.type === 'slice'
          ? { ...record, startedAt: new Date(startMs(record.round) + wait).toISOString(), loadMs: 6000 }
          : record;
      }),
    });
    const second = (at: number): string => new Date(startMs(1) + 1000 * at).toISOString();
    const usage = (at: number, role: string, cpu: number, memory: number): string =>
      `${taken(second(at), 1, "'=b")},${role},${cpu},${memory}`;
    write('processes.csv', [
      `${HEAD},role,cpu_s,memory_bytes`,
      // Before its slice the arm is at rest, and nothing of that is counted.
      usage(2, 'service', 10, 50e6),
      usage(13.05, 'service', 11, 60e6),
      usage(13.25, 'service', 12, 61e6),
      usage(13.45, 'service', 14, 62e6),
      usage(13.45, 'postgres_sessions', 1, 1e6),
    ]);
    const { series } = readSamples(folder, bounded, new Set(['a', '=b']));
    expect(series.map(({ name }) => name)).toEqual(['service_memory_bytes', 'service_cpu_cores']);
    const [memory, cpu] = series.map(({ of }) => of({ ...cell, variant: '=b' }).get(1) ?? []);
    expect(memory).toHaveLength(60);
    expect(memory?.slice(9, 16)).toEqual([null, 60e6, null, 61e6, null, 62e6, null]);
    expect(cpu?.slice(9, 16)).toEqual([null, null, null, 5, null, 10, null]);
    expect(read().series).toEqual([]);
  });

  it.each([
    ['another head', 'time,what\n1,2\n'],
    ['no table', '"\u0000"x,"\n"""\n,,'],
    ['nothing', ''],
  ])('a file with %s is passed over', (_, text) => {
    writeFileSync(join(folder, 'samples', 'wait-events.csv'), text);
    expect(read()).toEqual({ series: [], cutOff: [] });
  });

  it('a link is not followed, a folder that is missing is none', () => {
    write('elsewhere.csv', [`${HEAD},busy`, `${taken(at(1, 0.5), 1, 'a')},2`]);
    symlinkSync(join(folder, 'samples', 'elsewhere.csv'), join(folder, 'samples', 'wait-events.csv'));
    expect(read().series).toEqual([]);
    expect(readSamples(join(folder, 'none'), data, new Set(['a']))).toEqual({ series: [], cutOff: [] });
  });

  it('of a file that is too long its beginning is read, and that is said', () => {
    const row = `${taken(at(1, 0.5), 1, 'a')},2`;
    write('wait-events.csv', [`${HEAD},busy`, ...new Array<string>(100).fill(row)]);
    const { series, cutOff } = readSamples(folder, data, new Set(['a']), 1000);
    expect(cutOff).toEqual(['samples/wait-events.csv']);
    expect(series[0]?.of(cell).get(1)?.[6]).toBe(2);
  });
});
