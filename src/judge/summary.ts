import type { Journal } from '../journal/journal.ts';
import type { Provenance } from '../journal/records.ts';
import type { DiagnosisFinding } from './explain/cross-check.ts';
import { agreeingWith, diagnose } from './explain/diagnose.ts';
import { type IndexSummary, indexUses } from './explain/index-uses.ts';
import { type CellSaturation, saturationOfCells } from './explain/saturation.ts';
import { type MonitorSummary, monitorSummary, type StatementSummary, topStatements } from './explain/statements.ts';
import type { RunNote } from './notes.ts';
import { aggregateRun } from './read/aggregate-run.ts';
import { judgedMetric, loadMetrics } from './read/metrics/judged-metric.ts';
import { workMetrics } from './read/metrics/work-metrics.ts';
import type { LiveLevel } from './read/parts/live.ts';
import type { ResetTimes } from './read/rounds/complete-rounds.ts';
import type { LinkSummary } from './read/rounds/links.ts';
import type { LevelPasses } from './read/rounds/passes.ts';
import type { Warmups } from './read/rounds/warmups.ts';
import type { RunData } from './read/run-data.ts';
import { type FactorGain, factorGains } from './tune/factor-gains.ts';
import { type SearchSummary, summarizeSearch } from './tune/summarize-search.ts';
import { type Asked, type AskedSummary, askedOf } from './verdicts/asked.ts';
import { type Average, averagesOf, type BulkSummary, summarizeBulk } from './verdicts/averages.ts';
import { type BesideChange, compareWithoutJob } from './verdicts/beside.ts';
import { judgeCapacities } from './verdicts/capacity/judge-capacities.ts';
import { type CapacitySummary, summarizeCapacities } from './verdicts/capacity/summarize-capacities.ts';
import { compareControlArms, compareVariants, type JudgedComparison } from './verdicts/compare.ts';
import { compareProbes } from './verdicts/compare-probes.ts';
import { compareControlWork, compareWork } from './verdicts/compare-work.ts';
import { type Comparison, toComparison } from './verdicts/comparison.ts';
import { cellsOf } from './verdicts/contrasts.ts';
import { controlNotes } from './verdicts/control-apart.ts';
import { type Recommendation, type Recommended, recommend } from './verdicts/decision/recommend.ts';
import { noGates } from './verdicts/gate.ts';
import { type GateResult, gateResults } from './verdicts/gates.ts';
import { type KeptLimit, keptLimits } from './verdicts/limits.ts';
import { notesOn, otherControlNotes } from './verdicts/notes-on.ts';
import {
  type RequestsSummary,
  type ServerTimesSummary,
  summarizeRequests,
  summarizeServerTimes,
} from './verdicts/requests.ts';
import { type RunSummary, summarizeRun } from './verdicts/run-summary.ts';
import { comparisonsOf } from './verdicts/screen-family.ts';
import { judgeSession, type Session } from './verdicts/session.ts';
import { staysApart } from './verdicts/stays-apart.ts';
import { type MachinesSummary, shardNotes, summarizeMachines } from './verdicts/summarize-machines.ts';
import { type TreatmentSummary, treatmentsOf } from './verdicts/treatments.ts';
import { withVoidLevels } from './verdicts/void-levels.ts';

/** A field of the summary is never renamed or given another meaning without a new version. */
const SUMMARY_VERSION = 2;

/** The result of a run: the content of summary.json, which rounds its numbers. All are finite. */
export interface Summary {
  readonly version: typeof SUMMARY_VERSION;
  readonly run: RunSummary;
  /** Which setting to take under all load levels. */
  readonly recommended: Recommended;
  /** Which setting to take, for each load level. */
  readonly recommendation: readonly Recommendation[];
  /** Rounds that searched for the best setting; the others confirm it. Absent where the run named its variants. */
  readonly search?: SearchSummary;
  /** Gains of each factor of the setting to take, where it was left out by itself. Absent where none was. */
  readonly gains?: readonly FactorGain[];
  /** Limits of a search that settings are shown to keep, each with its bound. Absent where none is. */
  readonly kept?: readonly KeptLimit[];
  /** By machine. Absent where the run was not merged from shards. */
  readonly machines?: MachinesSummary;
  /** The load that each variant sustains; null where that was not the question. */
  readonly capacity: CapacitySummary | null;
  /** Results of the command's gates for each variant and load level, of a gate on the decision for each load level; else empty. */
  readonly gates: readonly GateResult[];
  /** Requests of the command beside the scenario. Absent where that is nothing. */
  readonly asked?: AskedSummary;
  readonly comparisons: readonly Comparison[];
  /** A/A: the control's second arm against its first, or the planned control's, judged like a variant. */
  readonly repeats: readonly Comparison[];
  /** Values of probes against the control: they explain the comparisons and decide nothing. */
  readonly probes: readonly Comparison[];
  /** The findings of cross-checks of probes and counters, the most telling first; empty without probes. */
  readonly findings: readonly DiagnosisFinding[];
  /** The statements that took most time, by cell; empty where no probe saw any. */
  readonly statements: readonly StatementSummary[];
  /** Facts about statements that only pg_stat_monitor has; empty where it was not there. */
  readonly monitor: MonitorSummary;
  /** The resource that was nearest its limit, by cell. */
  readonly saturation: readonly CellSaturation[];
  readonly averages: readonly Average[];
  /** By the name of the request, where the workload has more than one. */
  readonly requests: RequestsSummary;
  /** Parts of their time, from the service's header Server-Timing. Absent where there is none. */
  readonly serverTimes?: ServerTimesSummary;
  /** Requests beside a job against those just before it, by variant and metric. Absent where no job ran beside any. */
  readonly beside?: readonly BesideChange[];
  /** Bulk loads, by arm; empty where the scenario has none. */
  readonly bulk: readonly BulkSummary[];
  /** The time that it took to make each arm fresh in each round; null where nothing was started. */
  readonly reset: ResetTimes | null;
  /** The indexes that variants remove, hide or add. */
  readonly indexes: readonly IndexSummary[];
  readonly session: Session;
  /** How arms took turns, by load level. */
  readonly passes: readonly LevelPasses[];
  /** How settings were switched live, by load level; empty where arms were separate processes. */
  readonly live: readonly LiveLevel[];
  /** How arms were warmed; null where the scenario says how long. */
  readonly warmups: Warmups | null;
  /** Everything that is odd about this run. */
  readonly notes: readonly RunNote[];
  /** The changes that were seen in the database of each variant that makes any. */
  readonly treatments: readonly TreatmentSummary[];
  /** Links between services and their databases, by variant. Absent where there were none. */
  readonly links?: readonly LinkSummary[];
  readonly provenance: Provenance;
}

/** Judges a journal. The same journal gives the same summary, bit for bit. */
export function summarize(journal: Journal, fit: RunData = aggregateRun(journal), asked: Asked = noGates): Summary {
  const data = withVoidLevels(fit);
  const ofLoad = loadMetrics(data.scenario.load);
  const comparisons = byCell(
    ofLoad.map((metric) => compareVariants(data, metric)),
    compareWork(data),
  );
  const repeats = byCell(
    ofLoad.map((metric) => compareControlArms(data, metric)),
    compareControlWork(data),
  );
  const capacities = judgeCapacities(data);
  const session = judgeSession(data, comparisons, repeats, capacities);
  const advice = recommend(data, comparisons, session);
  const serverTimes = summarizeServerTimes(data, session);
  const search = summarizeSearch(journal);
  const gains = search === null ? [] : factorGains(data, advice.recommended.variant, journal.records);
  const kept = keptLimits(data);
  const judged = judgedMetric(data.scenario).name;
  const headline = comparisons.filter(({ metric }) => metric.name === judged);
  const ofCommand = askedOf(data, headline, session, asked);
  const machines = summarizeMachines(journal.run, data, headline);
  return {
    version: SUMMARY_VERSION,
    run: summarizeRun(journal, data),
    ...advice,
    ...(search !== null && { search }),
    ...(gains.length > 0 && { gains }),
    ...(kept.length > 0 && { kept }),
    ...(machines !== null && { machines }),
    capacity: summarizeCapacities(capacities, session),
    gates: gateResults(data, { comparisons, advice, session }, asked),
    ...(ofCommand !== null && { asked: ofCommand }),
    comparisons: comparisonsOf(data, comparisons, session),
    repeats: repeats.map((finding) => toComparison(data, finding, null)),
    probes: Array.from(compareProbes(data), (finding) => toComparison(data, finding, session)),
    ...explain(data, journal.run.provenance),
    averages: averagesOf(data),
    requests: summarizeRequests(data, session),
    ...(serverTimes !== null && { serverTimes }),
    ...compareWithoutJob(data, session),
    bulk: summarizeBulk(data),
    reset: data.reset,
    indexes: indexUses(data),
    session,
    passes: data.passes,
    live: data.live,
    warmups: data.warmups,
    notes: [
      ...otherControlNotes(data),
      ...shardNotes(journal.run, data, machines),
      ...staysApart(data, { comparisons, capacities }),
      ...controlNotes(comparisons),
      ...notesOn(journal, data),
    ],
    treatments: treatmentsOf(data),
    ...(data.links.length > 0 && { links: data.links }),
    provenance: journal.run.provenance,
  };
}

/**
 * Findings and rows of probes, with discarded slices: a generator that is the limit discards slices, and must still be
 * found. Without probes there is nothing to explain. The run with those slices takes as much memory again, so it is not kept.
 */
function explain(
  data: RunData,
  { cpuCount }: Provenance,
): Pick<Summary, 'findings' | 'statements' | 'monitor' | 'saturation'> {
  const hasProbes = cellsOf(data).some((cell) => data.detail([cell]).slices > 0);
  const explained = hasProbes && data.voids.voided > 0 ? data.withVoidSlices() : data;
  const findings = diagnose(explained, cpuCount);
  return {
    findings,
    statements: topStatements(explained, cpuCount),
    monitor: monitorSummary(explained, cpuCount),
    saturation: agreeingWith(findings, saturationOfCells(explained, cpuCount)),
  };
}

/** From one list of cells for each metric, and the work of each cell in a row, to all metrics of each cell in a row. */
function byCell(
  byMetric: readonly (readonly JudgedComparison[])[],
  work: readonly JudgedComparison[],
): JudgedComparison[] {
  const cells = byMetric[0] ?? [];
  return cells.flatMap((_, cell) => [
    ...byMetric.flatMap((findings) => findings[cell] ?? []),
    ...work.slice(cell * workMetrics.length, (cell + 1) * workMetrics.length),
  ]);
}
