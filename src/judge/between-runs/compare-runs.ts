import { PgsweepError } from '../../base/errors.ts';
import { shortened } from '../../base/visible.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import { loadMetrics } from '../read/metrics/judged-metric.ts';
import { type Margins, marginsOf } from '../read/metrics/margins.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import { allMetrics, namedMetrics } from '../read/metrics/work-metrics.ts';
import { type Common, compareChanges } from './changes.ts';
import { commonNames, differencesOf, otherWork, unknownSecretsOf } from './differences.ts';
import { compareLevels, orderOfSessions } from './levels.ts';
import { isUnfitFor } from './session-facts.ts';
import { settlingOf } from './settling.ts';
import { type OfSides, type OnlyIn, type RunsComparison, type SessionFacts, sides } from './types.ts';

export interface CompareOptions {
  /** Sessions a side that were decided on before the first; null where that is unknown. */
  readonly plannedSessions: number | null;
}

/**
 * Compares the sessions of two sides. Throws PgsweepError `usage` where they cannot be compared at all: nothing in common, a
 * run on both sides, or requests that are not the same work.
 */
export function compareRuns(
  given: OfSides<readonly SessionFacts[]>,
  { plannedSessions }: CompareOptions,
): RunsComparison {
  requireDifferentRuns(given);
  requireSameWork(given);
  const sessions = fitOnes(given);
  const all = [...sessions.base, ...sessions.head];
  const scenarios = all.map(({ run }) => run.scenario);
  const variants = commonNames(scenarios);
  const loads = commonLoads(all);
  requireInCommon(sessions, variants, loads);
  const controls = new Set(scenarios.map(({ control }) => control));
  const [control = ''] = controls;
  const differences = differencesOf(sessions);
  const margins = narrowest(scenarios.map(marginsOf));
  const common: Common = { metrics: metricsOf(scenarios), variants, loads, margins };
  const others = { ...common, variants: variants.filter((name) => name !== control) };
  return {
    sessions,
    leftOut: [...given.base, ...given.head].filter((one) => !all.includes(one)),
    differences,
    unknownSecrets: unknownSecretsOf(sessions),
    only: { base: onlyIn(sessions.base, common), head: onlyIn(sessions.head, common) },
    control: controls.size === 1 ? control : null,
    variants,
    loads,
    changes: controls.size === 1 ? compareChanges(sessions, others) : [],
    levels: compareLevels(sessions, common, plannedSessions),
    order: orderOfSessions(sessions),
    margins,
    settling: settlingOf(sessions, differences),
  };
}

function narrowest(all: readonly Margins[]): Margins {
  return {
    work: Math.min(...all.map(({ work }) => work)),
    others: Math.min(...all.map(({ others }) => others)),
  };
}

/** The metrics of every run, and what only the kind of load of these has. */
function metricsOf(scenarios: readonly ResolvedScenario[]): Metric[] {
  const own = new Set(scenarios.flatMap(({ load }) => loadMetrics(load).map(({ name }) => name)));
  return namedMetrics.filter((metric) => allMetrics.some(({ name }) => name === metric.name) || own.has(metric.name));
}

/** Without those that are unfit under every load level, where each side has others. */
function fitOnes(given: OfSides<readonly SessionFacts[]>): OfSides<readonly SessionFacts[]> {
  const isFit = (one: SessionFacts): boolean => !one.run.scenario.load.levels.every((load) => isUnfitFor(one, load));
  const fit = { base: given.base.filter(isFit), head: given.head.filter(isFit) };
  return fit.base.length > 0 && fit.head.length > 0 ? fit : given;
}

function requireDifferentRuns(sessions: OfSides<readonly SessionFacts[]>): void {
  const places = new Map<string, string>();
  for (const { place, run } of [...sessions.base, ...sessions.head]) {
    const id = JSON.stringify([run.id, run.startedAt, run.seed]);
    const before = places.get(id);
    if (before !== undefined) {
      throw new PgsweepError('usage', `${before} and ${place} are the same run`, {
        hint: 'Each folder is a separate session, and counts once.',
      });
    }
    places.set(id, place);
  }
}

function requireSameWork(sessions: OfSides<readonly SessionFacts[]>): void {
  const places = otherWork(sessions);
  if (places.length === 0) return;
  const [shown, more] = [places.slice(0, 3).map((place) => shortened(place, 60)), places.length - 3];
  throw new PgsweepError(
    'usage',
    `the requests are not the same work in all of these runs: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} differ`,
    { hint: 'Rates, latencies and times then mean something else. Run both with the same load.' },
  );
}

function requireInCommon(
  sessions: OfSides<readonly SessionFacts[]>,
  variants: readonly string[],
  loads: readonly LoadLevel[],
): void {
  if (variants.length > 0 && loads.length > 0) return;
  const what = variants.length === 0 ? 'variant' : 'load level';
  const all = [...sessions.base, ...sessions.head];
  if (variants.length > 0 && all.some(({ run }) => run.scenario.load.capacity !== undefined)) {
    throw new PgsweepError('usage', `no ${what} is in all of these runs: they look for capacities`, {
      hint: 'Each chose its own levels. The report of each run shows what its variants sustain.',
    });
  }
  const names = sides.map((side) => {
    const scenario = sessions[side][0]?.run.scenario;
    const all = variants.length === 0 ? scenario?.variants.map(({ name }) => name) : scenario?.load.levels.map(loadKey);
    return `${side} has ${shortened((all ?? []).join(', '), 200)}`;
  });
  throw new PgsweepError('usage', `no ${what} is in all of these runs`, { hint: `${names.join('; ')}.` });
}

function commonLoads(all: readonly SessionFacts[]): LoadLevel[] {
  const [first, ...others] = all.map(({ run }) => run.scenario.load.levels);
  const keys = others.map((levels) => new Set(levels.map(loadKey)));
  return (first ?? []).filter((level) => keys.every((one) => one.has(loadKey(level))));
}

/** Variants and load levels that some session of a side has, but not all sessions of both. */
function onlyIn(sessions: readonly SessionFacts[], { variants, loads }: Common): OnlyIn {
  const scenarios = sessions.map(({ run }) => run.scenario);
  const names = new Set(scenarios.flatMap((scenario) => scenario.variants.map(({ name }) => name)));
  const levels = new Map(scenarios.flatMap(({ load }) => load.levels.map((level) => [loadKey(level), level] as const)));
  const known = new Set(loads.map(loadKey));
  return {
    variants: [...names].filter((name) => !variants.includes(name)),
    loads: [...levels].flatMap(([key, level]) => (known.has(key) ? [] : [level])),
  };
}
