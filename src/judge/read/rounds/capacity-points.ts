import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { readLimit } from '../../../journal/capacity/limit-reading.ts';
import { loadSize } from '../../../journal/load-level.ts';
import type { VoidReason } from '../../../journal/records.ts';
import type { CompleteRound } from './complete-rounds.ts';

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
  /** The metric of each limit, by its name, in the limit's unit; one that is not known is not in it. */
  readonly values: ReadonlyMap<string, number>;
}

/** Measurements of one arm. */
export interface CapacityArm {
  readonly variant: string;
  readonly repeat: boolean;
  readonly points: readonly CapacityPoint[];
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
export function gatherCapacity(spec: CapacitySpec | undefined): CapacitySeen {
  if (spec === undefined) return { expected: new Set(), add() {}, arms: () => [] };
  const { until } = spec;
  const arms = new Map<string, CapacityArm & { readonly points: CapacityPoint[] }>();
  return {
    expected: generatorReasons,
    add({ round, slices, levels }) {
      const from = levels.at(-1)?.fromPass ?? 0;
      for (const { slice, probes, voided } of slices) {
        const generatorBusy = voided.some((reason) => generatorReasons.has(reason));
        const machineBusy = generatorBusy && !voided.includes('generator busy');
        if (!generatorBusy && voided.some((reason) => !overloadReasons.has(reason))) continue;
        const { variant, repeat, load, pass = 0 } = slice;
        const arm = arms.get(slice.arm) ?? { variant, repeat, points: [] };
        arms.set(slice.arm, arm);
        const values = until.flatMap(({ metric }): [string, number][] => {
          const value = generatorBusy ? null : readLimit(metric, { slice, probes });
          return value === null ? [] : [[metric, value]];
        });
        const point = { round, load: loadSize(load), wanted: pass >= from, generatorBusy, machineBusy };
        arm.points.push({ ...point, values: new Map(values) });
      }
    },
    arms: () => [...arms.values()],
  };
}
