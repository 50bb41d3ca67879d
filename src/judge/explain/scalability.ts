import { closedLoopClients, loadSize } from '../../journal/load-level.ts';
import type { BuiltInWorkload, LoadLevel } from '../../journal/scenario-record.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import { fitUsl, USL_LEAST_LEVELS } from '../stats/usl.ts';
import { controlArms } from '../verdicts/contrasts.ts';

/** How a variant's throughput grows with connections, by the Universal Scalability Law; or why that is not known. */
export interface Scalability {
  readonly variant: string;
  /** The workload, where load levels differ in it. */
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
export function scalabilityOf(data: RunData): Scalability[] {
  const { variants, load } = data.scenario;
  const levels = load.levels.filter((level) => closedLoopClients(level) !== null);
  const workloads = [...new Set(levels.map(({ workload }) => workload))];
  return workloads.flatMap((workload) => {
    const same = levels.filter((level) => level.workload === workload);
    if (same.length < USL_LEAST_LEVELS) return [];
    return variants.map(({ name }) => ({
      variant: name,
      workload: workload ?? null,
      ...fitted(data, name, same),
    }));
  });
}

function fitted(data: RunData, variant: string, levels: readonly LoadLevel[]): Pick<Scalability, 'peak' | 'refused'> {
  const fit = fitUsl(
    levels.map((level) => {
      const isControl = variant === data.scenario.control;
      const arms = isControl ? controlArms(data, level) : [{ variant, load: level, repeat: false }];
      const { byRound } = data.series(requestsPerSecond, arms);
      return {
        clients: loadSize(level),
        byRound: data.rounds.map((round) => byRound.get(round)?.value ?? null),
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
