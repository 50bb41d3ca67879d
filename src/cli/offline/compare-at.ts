import { compareRuns } from '../../between-runs/compare-runs.ts';
import { sessionFacts } from '../../between-runs/session-facts.ts';
import type { OfSides, RunsComparison, SessionFacts } from '../../between-runs/types.ts';
import { ExitCode } from '../../base/exit-codes.ts';
import { readJournal } from '../../journal/journal.ts';
import { comparisonCsv, comparisonJson, comparisonMarkdown } from '../../report/between-runs/formats.ts';
import { runFolderAt } from '../../run/run-folder.ts';
import type { Io } from '../io.ts';
import { folderOf } from '../report/report-run.ts';

/** Runs to be compared. */
export interface AskedComparison {
  /** Folders, or journals. */
  readonly runs: OfSides<readonly string[]>;
  readonly plannedSessions: number | null;
  readonly metric: string;
  readonly format: keyof typeof formats;
}

const formats = { markdown: comparisonMarkdown, json: comparisonJson, csv: comparisonCsv } as const;

/** Judges each run by itself, one after the other, compares them and prints what came out. Throws PgsweepError. */
export function compareAt(
  { runs, plannedSessions, metric, format }: AskedComparison,
  io: Pick<Io, 'out' | 'err'>,
): ExitCode {
  const sessions = { base: runs.base.map(factsAt), head: runs.head.map(factsAt) };
  const comparison = compareRuns(sessions, { plannedSessions });
  io.out(formats[format](comparison, { metric }));
  return isFit(comparison) ? ExitCode.done : ExitCode.unfit;
}

function factsAt(run: string): SessionFacts {
  return sessionFacts(run, readJournal(runFolderAt(folderOf(run)).journal, { probes: 'left out' }));
}

function isFit({ sessions: { base, head } }: RunsComparison): boolean {
  return [...base, ...head].every(({ unfit }) => unfit.length === 0);
}
