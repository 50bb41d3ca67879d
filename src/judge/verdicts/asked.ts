import type { LoadLevel } from '../../journal/scenario-record.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import type { RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import type { JudgedComparison } from './compare.ts';
import type { GateChoice } from './gate.ts';
import { isQuotable, roundsToQuote } from './quotable.ts';
import { isUnfitUnder, type Session } from './session.ts';

/** Requests of a command beside the scenario: its gates, and for what the run continues. */
export interface Asked extends GateChoice {
  /** The run continues until every change is precise enough to quote its size. */
  readonly size?: boolean;
  /** It continues until every change has a verdict as well. */
  readonly all?: boolean;
}

/** Requests of the command beside the scenario. A run does not store them: a resumed one is asked again. */
export interface AskedSummary {
  /** Gates as they were written. Absent where there are none. */
  readonly gates?: readonly string[];
  /** Set where an open gate passes. */
  readonly unclear?: 'pass';
  /** Set where every change shall have a verdict as well. */
  readonly all?: true;
  /** Set where every change shall be precise enough to quote its size. */
  readonly size?: OpenSizes;
}

/** The changes by the judged metric that are not precise enough to quote yet. */
export interface OpenSizes {
  readonly changes: readonly { readonly variant: string; readonly load: LoadLevel }[];
  /** Those of them that would take more rounds than the last look has. */
  readonly beyond: number;
  /** How many more rounds all the others take, if estimates and noise stay as they are; null where there are no others. */
  readonly moreRounds: number | null;
  /** The time for this many rounds, each as long as those so far. */
  readonly moreMinutes: number | null;
}

/** Requests of a command; null where there are none. `comparisons` are those by the judged metric. */
export function askedOf(
  data: RunData,
  comparisons: readonly JudgedComparison[],
  session: Pick<Session, 'reasons'>,
  { gates, unclear, size = false, all = false }: Asked,
): AskedSummary | null {
  const asked: AskedSummary = {
    ...(gates.length > 0 && { gates: gates.map(({ text }) => text), ...(unclear === 'pass' && { unclear }) }),
    ...(all && { all: true as const }),
    ...(size && { size: openSizes(data, comparisons, session) }),
  };
  return Object.keys(asked).length === 0 ? null : asked;
}

function openSizes(
  data: RunData,
  comparisons: readonly JudgedComparison[],
  session: Pick<Session, 'reasons'>,
): OpenSizes {
  const { rounds, roundMs, scenario } = data;
  const margin = marginOf(judgedMetric(scenario), marginsOf(scenario));
  const open = comparisons.filter((one) => !isQuotable(one) && !isUnfitUnder(session, one.load));
  const known = open.flatMap((one) => roundsToQuote(one, margin) ?? []);
  const moreRounds = known.length === 0 ? null : Math.max(...known) - rounds.length;
  return {
    changes: open.map(({ variant, load }) => ({ variant, load })),
    beyond: open.length - known.length,
    moreRounds,
    moreMinutes: moreRounds === null || roundMs === null ? null : significant((moreRounds * roundMs) / 60_000),
  };
}
