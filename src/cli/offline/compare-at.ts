import { ExitCode, PgsweepError } from '../../base/errors.ts';
import { readJournal } from '../../journal/journal.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { compareRuns } from '../../judge/between-runs/compare-runs.ts';
import { isUnfitFor, sessionFacts } from '../../judge/between-runs/session-facts.ts';
import type { OfSides, RunsComparison, SessionFacts } from '../../judge/between-runs/types.ts';
import type { BetweenNote } from '../../judge/notes.ts';
import { judgedMetric } from '../../judge/read/metrics/judged-metric.ts';
import { requestsPerSecond } from '../../judge/read/metrics/metrics.ts';
import { withControl } from '../../judge/read/other-control.ts';
import { type GateChoice, requireGated } from '../../judge/verdicts/gate.ts';
import { type ChangeResult, type GatedChange, judgeChanges } from '../../judge/verdicts/gates.ts';
import { folderOf, runFolderAt } from '../../measure/run/run-folder.ts';
import { comparisonCsv, comparisonJson, comparisonMarkdown } from '../../report/between-runs/formats.ts';
import type { Io } from '../io.ts';
import { finishGates } from '../report/gates.ts';

/** Arguments of `compare`. */
export interface AskedComparison {
  /** Folders, or journals. */
  readonly runs: OfSides<readonly string[]>;
  readonly plannedSessions: number | null;
  /** A variant that takes the place of the planned control, in all runs; null where none does. */
  readonly control: string | null;
  /** Null: the one by which the runs are judged, or 2xx/s where they are judged by different ones. */
  readonly metric: string | null;
  readonly format: keyof typeof formats;
  /** On `levels`, gates compare head with base. On `changes`, they compare how variants differ from the control. */
  readonly gates: GateChoice & { readonly on: 'levels' | 'changes' };
}

const formats = { markdown: comparisonMarkdown, json: comparisonJson, csv: comparisonCsv } as const;

/** Judges each run by itself, compares them, and prints the result. Throws PgsweepError. */
export function compareAt(
  { runs, plannedSessions, control, metric, format, gates }: AskedComparison,
  io: Pick<Io, 'out' | 'err'>,
): ExitCode {
  const factsOf = (run: string): SessionFacts => factsAt(run, control);
  const sessions = { base: runs.base.map(factsOf), head: runs.head.map(factsOf) };
  const comparison = compareRuns(sessions, { plannedSessions });
  const results = gatesOf(comparison, gates);
  io.out(formats[format](comparison, { metric: metric ?? judgedIn(comparison), gates: results }));
  const code = finishGates(results, io);
  return isUnfit(comparison, results) ? ExitCode.unfit : code;
}

function judgedIn({ sessions: { base, head } }: RunsComparison): string {
  const judged = new Set([...base, ...head].map(({ run }) => judgedMetric(run.scenario).name));
  const [first = requestsPerSecond.name] = judged;
  return judged.size === 1 ? first : requestsPerSecond.name;
}

function factsAt(run: string, control: string | null): SessionFacts {
  const journal = readJournal(runFolderAt(folderOf(run)).journal);
  return sessionFacts(run, control === null ? journal : withControl(journal, control));
}

/** True where no load level can be compared, or a gate is about one that cannot. */
function isUnfit(
  { sessions: { base, head }, loads }: RunsComparison,
  gates: readonly ChangeResult<BetweenNote>[],
): boolean {
  const isUnfitAt = (load: LoadLevel): boolean => [...base, ...head].some((session) => isUnfitFor(session, load));
  return loads.every(isUnfitAt) || gates.some(({ load }) => isUnfitAt(load));
}

function gatesOf(comparison: RunsComparison, gates: AskedComparison['gates']): ChangeResult<BetweenNote>[] {
  const { variants, control, loads } = comparison;
  const gated = gates.on === 'levels' ? variants : variants.filter((name) => name !== control);
  requireGated(gates.gates, { variants: gated, loads });
  if (gates.on === 'changes' && control === null) refuseGates(gates);
  const known = gatedChanges(comparison, gates.on);
  const asked = [...known, ...notMeasured(gates, known, { variants: gated, loads })];
  return judgeChanges(asked, { ...gates, roundMs: null });
}

function refuseGates({ gates: [first] }: GateChoice): void {
  if (first === undefined) return;
  throw new PgsweepError('usage', `"${first.text}": changes against different controls cannot be compared`, {
    hint: 'Name one control for all of them: --control VARIANT.',
  });
}

/** Metrics of gates that these runs do not have: without a result, their gates would pass. */
function notMeasured(
  { gates }: GateChoice,
  known: readonly GatedChange<BetweenNote>[],
  { variants, loads }: Pick<RunsComparison, 'variants' | 'loads'>,
): GatedChange<BetweenNote>[] {
  const asked = new Set(gates.flatMap((gate) => (gate.kind === 'change' ? [gate.metric] : [])));
  const missing = [...asked].filter((metric) => !known.some((one) => one.metric === metric));
  const nothing = { deltaPercent: null, bounds: null, evidence: null, notes: [{ kind: 'not-measured' } as const] };
  const cells = variants.flatMap((variant) => loads.map((load) => ({ variant, load })));
  return missing.flatMap((metric) => cells.map((cell) => ({ ...cell, ...nothing, metric })));
}

function gatedChanges(
  { levels, changes }: RunsComparison,
  on: AskedComparison['gates']['on'],
): GatedChange<BetweenNote>[] {
  return on === 'levels'
    ? levels.map((level) => ({ ...level, evidence: null }))
    : changes.map(({ differencePercent, ...change }) => ({
        ...change,
        deltaPercent: differencePercent,
        evidence: null,
      }));
}
