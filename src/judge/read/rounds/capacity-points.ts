import { present } from '../../../base/present.ts';
import { answersNeeded, readAgainstLimit, readLimit } from '../../../journal/capacity/limit-reading.ts';
import { loadSize, traitsOf } from '../../../journal/load-level.ts';
import { countOk } from '../../../journal/outcomes.ts';
import type { SliceRecord, VoidReason } from '../../../journal/records.ts';
import type { LoadSpec } from '../../../journal/scenario-record.ts';
import { tInterval } from '../../stats/interval.ts';
import { mean, sum } from '../../stats/moments.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { addedMix, type CheckedMix, checkedMix, type DrawnShares, drawnShares, isMixed, mixGap } from './mix-check.ts';
import { asOneTurn, CHANCE, type CheckedTurns, hiddenTime, LEAST_HIDDEN } from './turn-check.ts';
import { cameWithin } from './turn-rates.ts';

/** One slice of an arm, as the question of its capacity sees it. */
export interface CapacityPoint {
  readonly round: number;
  readonly load: number;
  /** False where it was measured on the way up through the range, which only shows where to look. */
  readonly wanted: boolean;
  /** Where the load generator could not keep up: what was measured there is its own limit. */
  readonly generatorBusy: boolean;
  /** Where the load generator had time to spare and still sent late: the machine let it wait. */
  readonly machineBusy: boolean;
  /** How many answers as expected it had. */
  readonly answers: number;
  /** The metric of each limit, by its name, in the limit's unit; one that is not known is not in it. */
  readonly values: ReadonlyMap<string, number>;
}

/** Measurements of one arm. */
export interface CapacityArm {
  readonly variant: string;
  readonly repeat: boolean;
  readonly points: readonly CapacityPoint[];
  /**
   * Share of the time of its turns that their ends hide, or by which a kind of request is off, at all levels together: 0
   * where that may be noise, or is no more than 1 %. For users, by how much more was sent in slices than came: their queue
   * still grew. Of a rate 0.
   */
  readonly hiddenShare: number;
}

/** An arm while rounds are added. */
interface SeenArm extends Omit<CapacityArm, 'hiddenShare'> {
  readonly points: CapacityPoint[];
  readonly turns: CheckedTurns[];
  /** ln(sent / came) of each slice of users. */
  readonly growth: number[];
  /** By the name of a limit: the largest load at which too few answers for it seem to keep it. */
  readonly seemsKept: Map<string, number>;
  mix: CheckedMix | null;
}

/** Reasons of a discarded slice that come from overload, which is a result here. */
const overloadReasons: ReadonlySet<VoidReason> = new Set(['failed requests', 'connections', 'listen overflow']);

/** Gathers what capacities are judged from, round by round. */
export interface CapacitySeen {
  /** Discard reasons that answer the question and spoil nothing: how far the load generator itself could go. */
  readonly expected: ReadonlySet<VoidReason>;
  add(round: CompleteRound): void;
  arms(): readonly CapacityArm[];
}

/** Reasons of a discarded slice that show how far the load generator could go. */
export const generatorReasons: ReadonlySet<VoidReason> = new Set(['generator busy', 'send lag']);

/** Gathers the slices of complete rounds that count, and those that the generator has spoilt. Nothing of a run without the question. */
export function gatherCapacity(load: Pick<LoadSpec, 'capacity' | 'workload' | 'timeoutMs'>): CapacitySeen {
  const { capacity, workload, timeoutMs } = load;
  if (capacity === undefined) return { expected: new Set(), add() {}, arms: () => [] };
  const { until } = capacity;
  const drawn = drawnShares(workload);
  // How long answers take is what the question is about.
  const expected = new Set<VoidReason>([...generatorReasons, 'long answers']);
  const arms = new Map<string, SeenArm>();
  return {
    expected,
    add({ round, slices, levels }) {
      const from = levels.at(-1)?.fromPass ?? 0;
      for (const { slice, probes, voided } of slices) {
        const generatorBusy = voided.some((reason) => generatorReasons.has(reason));
        const machineBusy = generatorBusy && !voided.includes('generator busy');
        if (!generatorBusy && voided.some((reason) => !overloadReasons.has(reason))) continue;
        const { variant, repeat, load, pass = 0 } = slice;
        const arm = arms.get(slice.arm) ?? newArm(variant, repeat);
        arms.set(slice.arm, arm);
        if (pass >= from && !generatorBusy) {
          arm.turns.push(...present([asOneTurn(slice)]));
          arm.growth.push(...growthOf(slice));
          arm.mix = addedMix(arm.mix, checkedMix([slice]));
        }
        const point = { round, load: loadSize(load), wanted: pass >= from, generatorBusy, machineBusy };
        const values = until.flatMap((limit): [string, number][] => {
          const limited = { slice, probes, timeoutMs };
          const value = generatorBusy ? null : readAgainstLimit(limit, limited);
          if (value !== null) return [[limit.metric, value]];
          const rough = point.wanted && !generatorBusy ? readLimit(limit.metric, limited, true) : null;
          if (rough !== null && rough <= limit.most)
            arm.seemsKept.set(limit.metric, Math.max(point.load, arm.seemsKept.get(limit.metric) ?? 0));
          return [];
        });
        arm.points.push({ ...point, answers: slice.latency.count, values: new Map(values) });
      }
    },
    arms: () =>
      [...arms.values()].map(({ turns, growth, mix, seemsKept, ...arm }) => ({
        ...arm,
        points: arm.points.map((point) => ({ ...point, values: withoutLuck(point, seemsKept) })),
        hiddenShare: hiddenShare({ turns, growth, mix }, drawn),
      })),
  };
}

function newArm(variant: string, repeat: boolean): SeenArm {
  return { variant, repeat, points: [], turns: [], growth: [], seemsKept: new Map(), mix: null };
}

/**
 * The values of a point without those of few answers that break a limit, where others at this load or at more seem to keep it: these
 * are not known, so that one slice with a stall would stand for all.
 */
function withoutLuck(
  { load, answers, values }: CapacityPoint,
  seemsKept: SeenArm['seemsKept'],
): CapacityPoint['values'] {
  const isLuck = ([metric, value]: readonly [string, number]): boolean =>
    answers < (answersNeeded(metric) ?? 0) && Number.isFinite(value) && load <= (seemsKept.get(metric) ?? 0);
  return new Map([...values].filter((one) => !isLuck(one)));
}

function growthOf(slice: SliceRecord): number[] {
  if (traitsOf(slice.load).secondCount !== 'within slices') return [];
  const [sent, came] = [countOk(slice), sum(cameWithin(slice.turns))];
  return sent > 0 && came > 0 ? [Math.log(sent / came)] : [];
}

function hiddenShare({ turns, growth, mix }: Pick<SeenArm, 'turns' | 'growth' | 'mix'>, drawn: DrawnShares): number {
  const time = hiddenTime(turns);
  const gap = mix && mixGap(mix, drawn);
  const ofTime = time?.isCertain ? Math.abs(time.ms) / mean(turns.map(({ countedMs }) => sum(countedMs))) : 0;
  const grows = tInterval(growth, CHANCE);
  const ofGrowth = grows !== null && grows.low > 0 ? Math.expm1(mean(growth)) : 0;
  const share = Math.max(ofTime, ofGrowth, gap !== null && isMixed(gap) ? Math.abs(gap.gap) : 0);
  return share > LEAST_HIDDEN ? share : 0;
}
