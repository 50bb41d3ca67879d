import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import type { RateTrend } from '../../../src/judge/notes.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import { compareVariants } from '../../../src/judge/verdicts/compare.ts';
import { notesOn } from '../../../src/judge/verdicts/notes-on.ts';
import { steadyNotes } from '../../../src/judge/verdicts/steady-rates.ts';
import { noises, simulatedRound } from '../../bench/verdicts-session.ts';
import { fixtureJournal, normal } from '../journal-fixture.ts';

const LOADS = 3;

/** What is planted; logarithms. */
interface Planted {
  /** Beside the control; 3. */
  readonly variants?: number;
  /** Load levels; 3. */
  readonly loads?: number;
  /** Of every rate over its slice. */
  readonly overSlice?: number;
  /** Of every rate over its round, by the requests of the arm. */
  readonly overRound?: number;
  /** Of the rate of v1 alone. */
  readonly ofVariant?: number;
  /** By how much v1's own trend differs from pass to pass: its standard deviation. */
  readonly unrest?: number;
  /** The machine's own trend over a pass: its standard deviation, drawn for each pass. */
  readonly drift?: number;
}

/** A run of this many rounds of a control and some variants under some load levels, whose order is drawn. */
function runWith(seed: string, planted: Planted, rounds = 8) {
  const { variants: others = 3, loads = LOADS } = planted;
  const random = createRandom(seed);
  const plan = { noise: noises.typical, variants: others, loads, effect: () => 0 };
  const variants = Array.from({ length: others + 1 }, (_, i) => `v${i}`);
  const connections = Array.from({ length: loads }, (_, i) => i + 1);
  const { run } = fixtureJournal({ variants, control: 'v0', connections, rounds: 0 });
  const records = Array.from({ length: rounds }, (_, i) =>
    withTrends(simulatedRound(plan, random, { round: i + 1, level: 0 }), random, planted),
  );
  return { run, records: records.flat() };
}

function trendsFound(seed: string, planted: Planted, rounds = 8): readonly RateTrend[] {
  const notes = steadyNotes(aggregateRun(runWith(seed, planted, rounds)));
  return notes.flatMap((note) => (note.kind === 'unsteady-rates' ? note.trends : []));
}

function withTrends(records: readonly JournalRecord[], random: Random, planted: Planted): JournalRecord[] {
  const { overSlice = 0, overRound = 0, ofVariant = 0, unrest = 0, drift = 0, loads = LOADS } = planted;
  const order = random.shuffle(Array.from({ length: loads }, (_, load) => load));
  const machine = order.map(() => drift * normal(random));
  return records.map((record) => {
    if (record.type !== 'slice') return record;
    const pass = order.indexOf(loadSize(record.load) - 1);
    const trend =
      overSlice +
      (machine[pass] ?? 0) +
      (record.variant === 'v1' ? ofVariant + (unrest > 0 ? unrest * normal(random) : 0) : 0);
    const level = overRound * ((pass + 0.5) / loads);
    return { ...moved(record, level, trend), pass };
  });
}

/** The slice with another level of its rate, and a trend from its first turn to its last. */
function moved(slice: SliceRecord, level: number, trend: number): SliceRecord {
  const { turns } = slice;
  if (turns === undefined) return slice;
  const counts = turns.okByTime.map(
    (count, turn) => count * Math.exp(level + trend * ((turn + 0.5) / turns.okByTime.length - 0.5)),
  );
  return { ...slice, turns: { ...turns, okByTime: counts } };
}

const shapeOf = ({ load, variant, percent }: RateTrend): string =>
  `${load === null ? 'round' : 'slice'} ${variant ?? 'all'} ${percent > 0 ? 'up' : 'down'}`;

describe('rates that still move', () => {
  const SESSIONS = 60;
  // Of 5 in 100, with two standard errors.
  const MOST = SESSIONS * 0.05 + 2 * Math.sqrt(SESSIONS * 0.05 * 0.95);
  const play = (name: string, planted: Planted): string[][] =>
    Array.from({ length: SESSIONS }, (_, i) => trendsFound(`${name} ${i}`, planted).map(shapeOf));
  const runsWith = (runs: readonly string[][], shape: string | RegExp): number =>
    runs.filter((shapes) => shapes.some((one) => (typeof shape === 'string' ? one === shape : shape.test(one)))).length;

  test('are reported in at most 5 of 100 runs without any', () => {
    expect(runsWith(play('none', {}), /./)).toBeLessThanOrEqual(MOST);
  });

  test('are not those of the machine, which drifts up in one round and down in another', () => {
    expect(runsWith(play('drift', { drift: 0.1 }), /./)).toBeLessThanOrEqual(MOST);
  });

  test('are found where all arms grow by 5 % over a slice', () => {
    const runs = play('all', { overSlice: 0.05, drift: 0.02 });
    expect(runsWith(runs, 'slice all up')).toBeGreaterThanOrEqual(0.9 * SESSIONS);
    expect(runsWith(runs, /down| v\d /)).toBeLessThanOrEqual(MOST);
  });

  test('are not reported where they are small: 2 % are steady', () => {
    expect(runsWith(play('small', { overSlice: 0.02 }), 'slice all up')).toBeLessThanOrEqual(0.2 * SESSIONS);
  });

  test('are found over a round, whatever the order of its load levels', () => {
    const runs = play('round', { overRound: -0.12 });
    expect(runsWith(runs, 'round all down')).toBeGreaterThanOrEqual(0.9 * SESSIONS);
    expect(runsWith(runs, /slice|v\d/)).toBeLessThanOrEqual(MOST);
  });

  test('are found of one variant, and are then not said of the others', () => {
    const runs = play('variant', { ofVariant: -0.1 });
    expect(runsWith(runs, 'slice v1 down')).toBeGreaterThanOrEqual(0.9 * SESSIONS);
    expect(runsWith(runs, /all| v[^1]/)).toBeLessThanOrEqual(MOST);
  });

  test('of one variant are not said of all arms where they differ too much from round to round', () => {
    const runs = play('hidden', { variants: 1, loads: 1, ofVariant: -0.5, unrest: 0.45 });
    expect(runsWith(runs, 'slice v1 down')).toBeLessThan(SESSIONS);
    expect(runsWith(runs, 'slice all down')).toBe(0);
  });

  test('of a variant stand beside the control, and before those of all arms', () => {
    const trends = trendsFound('sides', { ofVariant: -0.2, overSlice: 0.1 });
    expect(trends.map(shapeOf)).toEqual([
      ...new Array(LOADS).fill('slice v1 down'),
      ...new Array(LOADS).fill('slice all up'),
    ]);
    for (const { variant, percent, controlPercent } of trends) {
      if (variant === null) expect(controlPercent).toBeUndefined();
      // e^-0.1 and e^0.1.
      else expect([percent, controlPercent].map((one) => Math.round((one ?? 0) / 10))).toEqual([-1, 1]);
    }
  });

  test('of all arms that still grow are said of a warm-up that a person chose, and of no other', () => {
    const said = (planted: Planted): string[] => {
      const { run, records } = runWith('auto', planted);
      const load = { ...run.scenario.load, warmupRequests: 3000 };
      const data = aggregateRun({ run: { ...run, scenario: { ...run.scenario, load } }, records });
      return steadyNotes(data).flatMap(({ trends }) => trends.map(shapeOf));
    };
    expect(trendsFound('auto', { overSlice: 0.2 }).map(shapeOf)).toContain('slice all up');
    expect(said({ overSlice: 0.2 })).toEqual([]);
    // It would not help there.
    expect(said({ overSlice: -0.2 })).toContain('slice all down');
    expect(said({ overSlice: 0.2, ofVariant: 0.2 })).toEqual(new Array(LOADS).fill('slice v1 up'));
  });

  test('take four rounds to be seen', () => {
    expect(trendsFound('few', { overSlice: 0.5 }, 3)).toEqual([]);
    expect(trendsFound('few', { overSlice: 0.5 }, 4)).not.toEqual([]);
  });
});

test('a variant whose rate moves unlike the control’s is not `same`, however alike their means are', () => {
  const findings = (planted: Planted) =>
    Array.from({ length: 8 }, (_, i) =>
      compareVariants(aggregateRun(runWith(`same ${i}`, planted)), requestsPerSecond),
    ).flat();
  const [steady, moving] = [findings({}), findings({ ofVariant: -0.15 })];
  const sameOf = (all: typeof steady, name: string): number =>
    all.filter(({ variant, verdict }) => variant === name && verdict === 'same').length;
  expect(sameOf(steady, 'v1')).toBeGreaterThan(3);
  expect(sameOf(moving, 'v1')).toBe(0);
  expect(sameOf(moving, 'v2')).toBe(sameOf(steady, 'v2'));
  const notes = moving.flatMap((one) => one.notes.filter(({ kind }) => kind === 'still-moves'));
  expect(notes.length).toBeGreaterThan(3);
});

test('a warm-up with fewer requests than wanted is a note only where rates grew after it, or of a quick run where an arm was cold', () => {
  const notesOf = (planted: Planted, { quick = false, served = 3100 } = {}): string[] => {
    const { run: head, records } = runWith('short', planted);
    const run = { ...head, quick };
    const warmups = records.flatMap((record): JournalRecord[] => {
      if (record.type !== 'round') return [record];
      const arm = { type: 'warmup', round: record.round, arm: 'v1', load: { connections: 1 }, turns: [] } as const;
      return [{ ...arm, durationMs: 5000, outcomes: { '200': served }, wanted: 4500 }, record];
    });
    const journal = { ...fixtureJournal({}), run, records: warmups };
    return notesOn(journal, aggregateRun(journal)).map(({ kind }) => kind);
  };
  expect(notesOf({})).not.toContain('short-warmup');
  expect(notesOf({ overSlice: 0.06 }, { quick: true })).not.toContain('short-warmup');
  expect(notesOf({}, { quick: true, served: 190 })).toContain('short-warmup');
  const falling = notesOf({ overSlice: -0.06 });
  expect(falling).toContain('unsteady-rates');
  expect(falling).not.toContain('short-warmup');
  expect(notesOf({ overSlice: 0.06 })).toEqual(expect.arrayContaining(['short-warmup', 'unsteady-rates']));
});
