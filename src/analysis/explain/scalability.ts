import type { BuiltInWorkload, LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import { fitUsl, USL_LEAST_LEVELS } from '../../stats/usl.ts';
import { controlArms } from '../judge/compare.ts';
import type { Observations } from '../read/aggregate-run.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';

/** How a variant's throughput grows with connections, by the Universal Scalability Law; or why that cannot be said. */
export interface Scalability {
  readonly variant: string;
  /** What was sent, where load levels differ in that. */
  readonly workload: BuiltInWorkload | null;
  /** Null where the law was refused. */
  readonly peak: {
    readonly connections: number;
    /** 95 %. */
    readonly interval: readonly [low: number, high: number];
    readonly requestsPerSecond: number;
    /** Contention and coherency. */
    readonly sigma: number;
    readonly kappa: number;
  } | null;
  /** Why there is no peak; null where there is one. */
  readonly refused: string | null;
}

/** One for each variant and kind of load that has six load levels or more; none where no kind has. */
export function scalabilityOf(observations: Observations): Scalability[] {
  const { variants, load } = observations.scenario;
  const levels = load.levels.filter(({ bulk }) => bulk === undefined);
  const workloads = [...new Set(levels.map(({ workload }) => workload))];
  return workloads.flatMap((workload) => {
    const same = levels.filter((level) => level.workload === workload);
    if (same.length < USL_LEAST_LEVELS) return [];
    return variants.map(({ name }) => ({
      variant: name,
      workload: workload ?? null,
      ...fitted(observations, name, same),
    }));
  });
}

function fitted(
  observations: Observations,
  variant: string,
  levels: readonly LoadLevel[],
): Pick<Scalability, 'peak' | 'refused'> {
  const fit = fitUsl(
    levels.map((level) => {
      const isControl = variant === observations.scenario.control;
      const arms = isControl ? controlArms(observations, level) : [{ variant, load: level, repeat: false }];
      const { byRound } = observations.series(requestsPerSecond, arms);
      return {
        clients: level.connections,
        byRound: observations.rounds.map((round) => byRound.get(round)?.value ?? null),
      };
    }),
  );
  if (fit.kind === 'refused') return { peak: null, refused: fit.reason };
  return {
    peak: {
      connections: significant(fit.peak),
      interval: [significant(fit.interval[0]), significant(fit.interval[1])],
      requestsPerSecond: significant(fit.peakThroughput),
      sigma: significant(fit.parameters.sigma),
      kappa: significant(fit.parameters.kappa),
    },
    refused: null,
  };
}
