import { loadKey, loadKind } from '../../../journal/load-level.ts';
import type { LoadKind } from '../../../journal/load-traits.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { memoizeBy } from '../../read/memoize-by.ts';
import { type Metric, readingOf } from '../../read/metrics/metrics.ts';
import type { RunData } from '../../read/run-data.ts';
import { tInterval } from '../../stats/interval.ts';
import { mean } from '../../stats/moments.ts';
import { toPercent } from '../../stats/rounding.ts';
import type { Contrast } from '../contrasts.ts';
import type { Judgement } from '../judge.ts';
import { pairUp } from '../pairs.ts';

/** The rate of what was sent over the rate of what came within the turns: 1 where no wait outlasts a turn. */
const turnGap: Metric = {
  name: 'turn_gap',
  unit: '',
  label: '',
  better: null,
  group: 'load',
  overRounds: 'mean',
  read: ({ ok, rateMs, okByTime, windowMs }) =>
    okByTime === null || okByTime === 0 || rateMs === 0
      ? readingOf(null)
      : { value: ok / rateMs / (okByTime / windowMs) },
};

/**
 * Of users, whose rate is what came within the slice: what was sent in it over that. Above 1 where their queue still grows, and
 * latency with it.
 */
const usersGap: Metric = {
  ...turnGap,
  name: 'users_gap',
  read: ({ ok, okByTime }) =>
    okByTime === null || okByTime === 0 || ok === 0 ? readingOf(null) : { value: ok / okByTime },
};

/** Changes that differ by no more, as a log ratio, are the same for every purpose. */
const MOST_GAP = Math.log(1.01);
/** The chance that two counts seem to differ which do not. */
const ERROR = 0.05;

/** What a change is by the other count: rates by what came within turns, latencies by connections / that rate. */
const shifts: Readonly<Record<string, 1 | -1>> = {
  requests_per_s: -1,
  throughput_bytes_per_s: -1,
  latency_mean_ms: 1,
};

/** Of users what is sent is the other count of a rate, and by how much latencies are off is not known. */
const usersShifts: Readonly<Record<string, 1>> = { requests_per_s: 1, throughput_bytes_per_s: 1 };

/** Two counts of a rate, and how a metric shifts by the other one. */
interface TwoCounts {
  readonly gap: Metric;
  readonly shifts: Readonly<Record<string, 1 | -1>>;
}

/** Null where what is sent follows no answers, or where all of it counts. */
const twoCounts: Readonly<Record<LoadKind, TwoCounts | null>> = {
  connections: { gap: turnGap, shifts },
  users: { gap: usersGap, shifts: usersShifts },
  rate: null,
  iterations: null,
  bulk: null,
};

/** What both counts of a closed loop say of a change. */
export interface TurnsFinding {
  /** By how much ln(variant / control) of the metric differs by the other count; 0 where it does not, or where that is not known. */
  readonly shift: number;
  /** True where turns hide something for certain, and by how much the metric is off is not known: no gate passes by it. */
  readonly isUnsure: boolean;
}

/** Judges a change of a load metric by the other count as well. */
export type TurnsJudge = (metric: Metric, contrast: Contrast, judgement: Judgement) => Judgement;

/**
 * Judges by both counts of a closed loop. What was sent, in full, is right where waits do not need the company of others; what
 * came within the turns is right where the CPU is the limit and turns are long. Where the two changes of a variant differ by
 * more than 1 % beyond noise the truth lies between them: the interval then holds both, and it is not `same`. Nor is it where
 * the kinds of request within turns are others than were drawn: then queues have not filled.
 */
export function createTurnsJudge(data: RunData): TurnsJudge {
  const findingOf = createTurnsFinder(data);
  return (metric, contrast, judgement) => {
    const { interval, deltaPercent, verdict, notes } = judgement;
    if (interval === null || deltaPercent === null) return judgement;
    const { shift, isUnsure } = findingOf(metric, contrast);
    if (shift === 0 && !isUnsure) return judgement;
    const [low, high] = holdingBoth(interval, shift);
    const stands = { higher: low > 0, lower: high < 0, same: false, noise: true, unfit: true }[verdict];
    const byTurnsPercent = shift === 0 ? null : shifted(deltaPercent, shift);
    return {
      ...judgement,
      interval: [low, high],
      verdict: stands ? verdict : 'noise',
      notes: [...notes, { kind: 'outlast-turns', byTurnsPercent }],
    };
  };
}

/** Finds what turns hide in a change, remembering what it has found. */
export function createTurnsFinder(data: RunData): (metric: Metric, contrast: Contrast) => TurnsFinding {
  const gapOf = memoizeBy(
    ({ control, cell }: Contrast) =>
      JSON.stringify([loadKey(cell.load), ...[...control, cell].map(({ variant, repeat }) => [variant, repeat])]),
    (contrast) => certainGap(data, contrast),
  );
  const mixed = new Set(data.passes.flatMap(({ load, mixGap }) => (mixGap === null ? [] : [loadKey(load)])));
  return (metric, contrast) => {
    if (metric.group !== 'load') return { shift: 0, isUnsure: false };
    const gap = gapOf(contrast);
    const shift = (countsOf(data, contrast.cell.load)?.shifts[metric.name] ?? 0) * gap;
    return { shift, isUnsure: mixed.has(loadKey(contrast.cell.load)) || (gap !== 0 && shift === 0) };
  };
}

/** The range, in percent, with what it is by the other count. */
export function holdingBoth([low, high]: readonly [number, number], shift: number): readonly [number, number] {
  return [Math.min(low, shifted(low, shift)), Math.max(high, shifted(high, shift))];
}

function shifted(percent: number, shift: number): number {
  return toPercent(Math.log1p(percent / 100) + shift);
}

/** By how much ln(variant / control) differs between the two counts of a rate; 0 where that may be noise, or no more than 1 %. */
function certainGap(data: RunData, { control, cell }: Contrast): number {
  const counts = countsOf(data, cell.load);
  if (counts === null) return 0;
  const { logRatios } = pairUp(data.series(counts.gap, control, cell), data.series(counts.gap, [cell], cell));
  const range = tInterval(logRatios, ERROR);
  const gap = mean(logRatios);
  const isCertain = range !== null && (range.low > 0 || range.high < 0);
  return isCertain && Math.abs(gap) > MOST_GAP ? gap : 0;
}

/** Null also where k6 counts. */
function countsOf({ scenario }: RunData, load: LoadLevel): TwoCounts | null {
  return scenario.load.workload.kind === 'k6' ? null : twoCounts[loadKind(load)];
}
