import { loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { orderOf, type RunOrder } from '../external/in-turn.ts';
import { compareExternal, type ExternalComparison } from '../external/judge-external.ts';
import type { ExternalGroup, ExternalRun } from '../external/types.ts';
import type { BetweenNote } from '../notes.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import { MIN_ROUNDS } from '../stats/looks.ts';
import type { Common } from './changes.ts';
import { oneSideFirst } from './one-side-first.ts';
import { cellKey, isUnfitFor } from './session-facts.ts';
import { type LevelDifference, type OfSides, type SessionFacts, type Side, sides } from './types.ts';

/** Least sessions a side, made alternately, whose levels are judged: two sessions count here like a round of a sweep. */
export const LEAST_SESSIONS = MIN_ROUNDS;

/** How sessions followed each other, by their times. */
export function orderOfSessions(sessions: OfSides<readonly SessionFacts[]>): RunOrder {
  return orderOf(
    sides.flatMap((side) => sessions[side].map((session) => runOf(session, side, new Map()))),
    'base',
  );
}

/**
 * Levels of head against base, of every variant that both have. Sessions share no rounds, so there is a verdict only
 * where each side has four or more, made alternately, and each came first in some pairs. The unit of replication is then the session. `plannedSessions`: the
 * sessions a side that were decided on beforehand. Each metric is its own family, work per request is one together, as in
 * a run.
 */
export function compareLevels(
  sessions: OfSides<readonly SessionFacts[]>,
  { metrics, variants, loads, margins }: Common,
  plannedSessions: number | null,
): LevelDifference[] {
  const cells = loads.flatMap((load) => variants.map((variant) => ({ variant, load })));
  const judge = (work: boolean): (readonly ExternalComparison[])[] => {
    const judged = metrics.filter(({ group }) => (group === 'work') === work);
    const groups = cells.map((cell) => groupOf(sessions, cell, judged));
    const rules = work
      ? ({ marginPercent: margins.work, sameFirst: true, together: true } as const)
      : { marginPercent: margins.others };
    const judgedSo = compareExternal(groups, { ...rules, control: 'base', plannedRounds: plannedSessions });
    return judgedSo.map(({ comparisons }) => comparisons);
  };
  const [usual, work] = [judge(false), judge(true)];
  return cells.flatMap((cell, index) => {
    const obstacle = obstacleOf(sessions, cell.load);
    return [...(usual[index] ?? []), ...(work[index] ?? [])].map((found) => toLevel(cell, found, obstacle));
  });
}

interface LevelCell {
  readonly variant: string;
  readonly load: LoadLevel;
}

function groupOf(
  sessions: OfSides<readonly SessionFacts[]>,
  { variant, load }: LevelCell,
  metrics: readonly Metric[],
): ExternalGroup {
  const key = cellKey(variant, load);
  const runs = sides.flatMap((side) =>
    sessions[side].map((session) => {
      const levels = session.levels.get(key);
      const failures = levels?.failures ?? null;
      return { ...runOf(session, side, levels?.values ?? new Map()), failures };
    }),
  );
  return {
    title: `${variant}, ${loadLabel(load)}`,
    metrics,
    runs,
    variantsAcross: true,
    leftOut: [],
  };
}

function runOf({ place, taken }: SessionFacts, side: Side, values: ReadonlyMap<string, number>): ExternalRun {
  return {
    variant: side,
    place,
    taken: taken && { ...taken, source: 'tool' },
    values,
    texts: new Map(),
    samples: null,
    failures: null,
  };
}

/** Why nothing can be judged under a load level; null where it can. */
function obstacleOf(sessions: OfSides<readonly SessionFacts[]>, load: LoadLevel): BetweenNote | null {
  const all = [...sessions.base, ...sessions.head];
  if (all.some(({ run }) => run.quick)) return { kind: 'quick-session' };
  if (all.some((one) => isUnfitFor(one, load))) return { kind: 'unfit-session' };
  const fewest = Math.min(sessions.base.length, sessions.head.length);
  if (fewest < LEAST_SESSIONS) return { kind: 'different-sessions', sessions: fewest, needed: LEAST_SESSIONS };
  const order = orderOfSessions(sessions);
  return order.kind === 'in-turn' ? oneSideFirst(order) : { kind: 'not-in-turn' };
}

/** Notes on how many sessions there are. */
const ofRounds: ReadonlySet<BetweenNote['kind']> = new Set(['few-rounds', 'rounds-needed']);

function toLevel(cell: LevelCell, found: ExternalComparison, obstacle: BetweenNote | null): LevelDifference {
  const { metric, unit, control, value, deltaPercent, interval, verdict, rounds, bounds = null } = found;
  const known = { ...cell, metric, unit, value: { base: control, head: value }, deltaPercent };
  const own = found.notes.flatMap(ownNote);
  if (obstacle === null) return { ...known, interval, verdict, rounds, bounds, notes: own };
  return {
    ...known,
    interval: null,
    verdict: obstacle.kind === 'unfit-session' ? 'unfit' : 'noise',
    rounds: 0,
    bounds: null,
    // What has no percentage needs no other reason, and more sessions would not help.
    notes: [...own.filter(({ kind }) => !ofRounds.has(kind)), ...(deltaPercent === null ? [] : [obstacle])],
  };
}

/** Notes of the sessions themselves. That they are few or apart is noted once for all. */
function ownNote(note: ExternalComparison['notes'][number]): BetweenNote[] {
  switch (note.kind) {
    case 'one-run':
    case 'not-interleaved':
    case 'failed-commands':
    case 'negative':
    case 'text':
    case 'rounded':
      return [];
    default:
      return [note];
  }
}
