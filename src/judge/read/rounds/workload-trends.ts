import { groupBy } from '../../../base/group-by.ts';
import type { WorkloadTrend } from '../../../journal/length-records.ts';
import { traitsOf } from '../../../journal/load-level.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { mean, squares, sum } from '../../stats/moments.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { passKey, trendsOf } from './trends.ts';

/** Gathers how rates moved over slices, round by round. */
export interface TrendsSeen {
  add(round: CompleteRound): void;
  trends(): WorkloadTrend[];
}

interface Seen {
  /** Requests that each arm was warmed by. */
  readonly wanted: number;
  readonly slopes: number[];
  readonly requests: number[];
  /** Requests a second of the slowest arm, while it was warmed. */
  perS: number;
}

/**
 * How the common rate of all arms still moved over the slices of each workload after its warm-up, of the rounds that had the
 * last length of it: a longer one begins again. Only where a warm-up is counted in requests.
 */
export function gatherTrends(): TrendsSeen {
  const seen = new Map<LoadLevel['workload'], Seen>();
  return {
    add(round) {
      for (const own of groupBy(round.warmups, ({ load }) => load.workload)) {
        const [{ wanted, load } = {}] = own;
        if (wanted === undefined || load === undefined) continue;
        const { workload } = load;
        const before = seen.get(workload);
        const now = before?.wanted === wanted ? before : { wanted, slopes: [], requests: [], perS: 0 };
        seen.set(workload, now);
        now.perS = Math.min(
          ...own.map(({ outcomes, durationMs }) => sum(Object.values(outcomes)) / (durationMs / 1000)),
        );
        const isOwn = (level: LoadLevel): boolean => level.workload === workload && traitsOf(level).warmsUp;
        const trends = trendsOf(round).filter((trend) => isOwn(trend.load));
        now.slopes.push(...groupBy(trends, passKey).map((arms) => mean(arms.map(({ slope }) => slope))));
        const slices = round.slices.filter(({ slice }) => isOwn(slice.load));
        if (slices.length > 0) now.requests.push(mean(slices.map(({ slice }) => countAll(slice.whole))));
      }
    },
    trends: () =>
      [...seen].flatMap(([workload, { slopes, requests, perS }]) =>
        slopes.length === 0
          ? []
          : [
              {
                ...(workload !== undefined && { workload }),
                passes: slopes.length,
                growth: mean(slopes),
                squares: squares(slopes),
                sliceRequests: mean(requests),
                perS,
              },
            ],
      ),
  };
}
