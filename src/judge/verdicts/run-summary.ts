import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import type { Journal } from '../../journal/journal.ts';
import type { StopReason } from '../../journal/records.ts';
import type { Against } from '../../journal/run/against-record.ts';
import type { BoundedSpec, LoadLevel } from '../../journal/scenario-record.ts';
import { type Elsewhere, elsewhere } from '../../journal/service/elsewhere.ts';
import { type HeldPools, heldPools } from '../read/held-pools.ts';
import { judgedNames } from '../read/metrics/judged-metric.ts';
import type { MetricName } from '../read/metrics/metrics.ts';
import { workDigest } from '../read/requested-work.ts';
import type { RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import { areReleases, inOrder, type Setting } from './variant-order.ts';

/** The question of a run, and how far it came. */
export interface RunSummary extends Elsewhere {
  readonly id: string;
  readonly title: string;
  /** The scenario's name. */
  readonly scenario: string;
  /** The scenario's file, as it was seen from where the run was made. */
  readonly scenarioFile: string;
  readonly control: string;
  /** The control that the run was planned with, which has two arms. Set where it is judged against another. */
  readonly plannedControl?: string;
  /** A digest of the requests and their number, without headers. Two runs with another do other work. */
  readonly work: string;
  /** In the order of the scenario. */
  readonly variants: readonly string[];
  /** The variants from the smallest setting to the largest. */
  readonly settings: readonly Setting[];
  /** Variants whose processes or threads have a pool each, beside those that the scenario names. Absent where there are none. */
  readonly heldPools?: readonly HeldPools[];
  readonly loads: readonly LoadLevel[];
  /** The metric that the headline, the recommendation and the stop rule go by. Absent where that is requests_per_s. */
  readonly judgedBy?: MetricName;
  /** Metrics that the first screen has a verdict of beside that one, each with its own error. Absent where there are none. */
  readonly judgedBeside?: readonly MetricName[];
  /** The service's own metrics that the scenario names. Absent where it names none. */
  readonly metrics?: readonly string[];
  /** Where a slice is this many requests and no more: how many, and how long they may take. */
  readonly bounded?: BoundedSpec;
  /** The commits that the folder was compared with. Absent where no variant is a commit. */
  readonly against?: Against;
  /** Set where the question is which setting to take; absent where it is what each change does. */
  readonly question?: 'best';
  /** Set where variants are releases, and none is cheaper: they differ in what runs, by their command, folder or version of Postgres, and in nothing else. */
  readonly releases?: true;
  /** The limits that a setting has to keep to be taken, in a search. Absent where there are none. */
  readonly keep?: readonly CapacityLimit[];
  /** The margin of the judged metric. */
  readonly marginPercent: number;
  readonly startedAt: string;
  readonly seed: number;
  readonly quick: boolean;
  /** Complete rounds: only these are judged. */
  readonly rounds: number;
  /** The most that its scenario allows, however long the run is: `--rounds` alone makes more. */
  readonly mostRounds: number;
  /** How long one of them took on average; absent where that is not known. */
  readonly roundMs?: number;
  /** False if the run was interrupted or failed. */
  readonly complete: boolean;
  /** Why it ended early: `code` is that of the error, `interrupted` where the user ended it. Absent where it did not, was killed, or was resumed since. */
  readonly failed?: { readonly code: string; readonly message: string };
  readonly stopReason: StopReason | null;
}

/** The facts of a run as a whole, of its journal. */
export function summarizeRun({ run }: Journal, data: RunData): RunSummary {
  const { scenario } = data;
  // A run that was resumed after its end continues until its next end.
  const last = data.turns.at(-1);
  const end = last?.type === 'end' ? last : null;
  const metrics = scenario.target.metrics?.include ?? [];
  const pools = heldPools(scenario, data.held);
  return {
    id: run.id,
    title: scenario.title,
    scenario: scenario.name,
    scenarioFile: scenario.file,
    control: scenario.control,
    ...(scenario.plannedControl !== undefined && { plannedControl: scenario.plannedControl }),
    work: workDigest(run.scenario),
    variants: scenario.variants.map(({ name }) => name),
    settings: inOrder(scenario),
    ...(pools.length > 0 && { heldPools: pools }),
    loads: scenario.load.levels,
    ...judgedNames(scenario),
    ...(metrics.length > 0 && { metrics }),
    ...(scenario.load.bounded !== undefined && { bounded: scenario.load.bounded }),
    ...(scenario.against !== undefined && { against: scenario.against }),
    ...(scenario.question !== undefined && { question: scenario.question }),
    ...(areReleases(scenario) && { releases: true as const }),
    ...(run.scenario.tune?.keep !== undefined && { keep: run.scenario.tune.keep }),
    marginPercent: scenario.marginPercent,
    startedAt: run.startedAt,
    seed: run.seed,
    quick: run.quick,
    rounds: data.rounds.length,
    mostRounds: scenario.rounds.max,
    ...(data.roundMs !== null && data.roundMs > 0 && { roundMs: significant(data.roundMs) }),
    ...elsewhere(scenario),
    complete: end !== null,
    ...(last?.type === 'failed' && { failed: { code: last.code, message: last.message } }),
    stopReason: end?.reason ?? null,
  };
}
