import { ExitCode } from '../../base/errors.ts';
import { readJournal } from '../../journal/journal.ts';
import { compareRuns } from '../../judge/between-runs/compare-runs.ts';
import { sessionFacts } from '../../judge/between-runs/session-facts.ts';
import type { OfSides, RunsComparison, SessionFacts } from '../../judge/between-runs/types.ts';
import type { BetweenNote } from '../../judge/notes.ts';
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
  readonly metric: string;
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
  io.out(formats[format](comparison, { metric, gates: results }));
  const code = finishGates(results, io);
  return isFit(comparison) ? code : ExitCode.unfit;
}

function factsAt(run: string, control: string | null): SessionFacts {
  const journal = readJournal(runFolderAt(folderOf(run)).journal);
  return sessionFacts(run, control === null ? journal : withControl(journal, control));
}

function isFit({ sessions: { base, head } }: RunsComparison): boolean {
  return [...base, ...head].every(({ unfit }) => unfit.length === 0);
}

function gatesOf(
  { variants, control, loads, levels, changes }: RunsComparison,
  gates: AskedComparison['gates'],
): ChangeResult<BetweenNote>[] {
  const others = variants.filter((name) => name !== control);
  requireGated(gates.gates, { variants: gates.on === 'levels' ? variants : others, loads });
  const asked =
    gates.on === 'levels'
      ? levels.map((level): GatedChange<BetweenNote> => ({ ...level, evidence: null }))
      : changes.map(
          ({ differencePercent, ...change }): GatedChange<BetweenNote> => ({
            ...change,
            deltaPercent: differencePercent,
            evidence: null,
          }),
        );
  return judgeChanges(asked, { ...gates, roundMs: null });
}
