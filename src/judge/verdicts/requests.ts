import { answersFor, namedPercentiles } from '../../journal/run/percentiles.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { mergeRequests, type RequestCount, serverTimeKey } from '../read/cells/request-counts.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { significant, significantOrNull } from '../stats/rounding.ts';
import { judgeTogether } from './compare.ts';
import { type Comparison, toComparison } from './comparison.ts';
import { cellsOf, variantContrasts } from './contrasts.ts';
import type { Session } from './session.ts';

/** The most comparisons of a family: more would leave each next to none of the error. */
const MOST_COMPARISONS = { requests: 2000, parts: 500 } as const;
const MOST_NAMES = 50;

/** Kinds of request by name; all empty where the workload has only one. */
export interface RequestsSummary {
  readonly averages: readonly RequestAverage[];
  /**
   * The mean latency of each kind of request against the control. One family: the chance of any false `higher` or
   * `lower` among them all is up to 5 %.
   */
  readonly comparisons: readonly RequestComparison[];
  /** Names that are in neither: those with the fewest requests, where there are too many. */
  readonly leftOut: number;
}

/** The requests of one name of one arm under one load level. */
interface RequestAverage {
  readonly request: string;
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  /** Answers as expected, and everything else, over all rounds. */
  readonly ok: number;
  readonly failed: number;
  /** Mean over rounds; null without answers as expected. */
  readonly meanMs: number | null;
  /** Over all rounds together; null where there are too few answers for that percentile, and where histograms were left alone. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly p99_9Ms: number | null;
}

export interface RequestComparison extends Comparison {
  readonly request: string;
}

/** Parts of the time of requests, from the service's header Server-Timing. */
export interface ServerTimesSummary {
  readonly averages: readonly ServerTimeAverage[];
  /**
   * The mean time of each part against the control. One family: the chance of any false `higher` or `lower` among them all
   * is up to 5 %.
   */
  readonly comparisons: readonly ServerTimeComparison[];
  /** Parts that are in neither: those with the least time, where there are too many. */
  readonly leftOut: number;
}

/** A part of the time of the requests of one name, of one arm under one load level. */
interface ServerTimeAverage {
  readonly request: string;
  /** As the service calls it. */
  readonly part: string;
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  /** Milliseconds a request, the mean over rounds. Answers without that part count as 0. */
  readonly meanMs: number | null;
  /** Its share (0..1) of the latency that the load generator saw. */
  readonly share: number | null;
}

interface ServerTimeComparison extends Comparison {
  readonly request: string;
  readonly part: string;
}

/** A kind of request, or a part of its time. */
interface Kind {
  readonly request: string;
  readonly metric: Metric;
}

interface Part extends Kind {
  readonly part: string;
}

/** Averages and judged changes by the name of the request. An unfit session has no verdicts. */
export function summarizeRequests(data: RunData, session: Session): RequestsSummary {
  const all = kindsIn(data);
  const kinds = all.slice(0, Math.min(MOST_NAMES, mostKinds(data, MOST_COMPARISONS.requests)));
  return {
    averages: averagesOf(data, kinds),
    comparisons: compareKinds(data, session, kinds, 'latency_mean_ms', ({ request }) => ({ request })),
    leftOut: all.length - kinds.length,
  };
}

/** Averages and judged changes of the parts; null where no answer has any. An unfit session has no verdicts. */
export function summarizeServerTimes(data: RunData, session: Session): ServerTimesSummary | null {
  const all = partsIn(data);
  if (all.length === 0) return null;
  const parts = all.slice(0, mostKinds(data, MOST_COMPARISONS.parts));
  return {
    averages: timeAverages(data, parts),
    comparisons: compareKinds(data, session, parts, 'server_ms', ({ request, part }) => ({ request, part })),
    leftOut: all.length - parts.length,
  };
}

function mostKinds(data: RunData, mostComparisons: number): number {
  return Math.max(1, Math.floor(mostComparisons / Math.max(1, variantContrasts(data).length)));
}

/** Compares every variant with the control in each kind, all as one family. */
function compareKinds<Own extends Kind, Names>(
  data: RunData,
  session: Session,
  kinds: readonly Own[],
  metric: string,
  namesOf: (kind: Own) => Names,
): (Comparison & Names)[] {
  const questions = variantContrasts(data).flatMap((contrast) => kinds.map((kind) => ({ ...kind, contrast })));
  return judgeTogether(data, questions).map((judged) => ({
    ...toComparison(data, judged, session),
    metric,
    ...namesOf(judged),
  }));
}

/** The most frequent first; none where there is only one. */
function kindsIn(data: RunData): Kind[] {
  const requests = mergeRequests(cellsOf(data).flatMap((cell) => data.merged([cell])?.requests ?? []));
  if (requests.size < 2) return [];
  const sizes = [...requests].map(([name, { ok, failed }]) => ({ name, requests: ok + failed }));
  return sizes
    .sort((a, b) => b.requests - a.requests)
    .map(({ name }) => {
      const metric = meanOfRequests(`latency_mean_ms of ${name}`, name, ({ latencyUs }) => latencyUs / 1000);
      return { request: name, metric };
    });
}

/** Those that took most time of all requests first. */
function partsIn(data: RunData): Part[] {
  const totals = new Map<string, Omit<Part, 'metric'> & { readonly totalMs: number }>();
  for (const cell of cellsOf(data)) {
    for (const [request, { serverMs }] of data.merged([cell])?.requests ?? []) {
      for (const [part, ms] of serverMs) {
        const key = serverTimeKey(request, part);
        totals.set(key, { request, part, totalMs: (totals.get(key)?.totalMs ?? 0) + ms });
      }
    }
  }
  return [...totals.values()]
    .sort((a, b) => b.totalMs - a.totalMs)
    .map(({ request, part }) => {
      const name = `server_ms of ${serverTimeKey(request, part)}`;
      return { request, part, metric: meanOfRequests(name, request, ({ serverMs }) => serverMs.get(part) ?? 0) };
    });
}

/** The kinds that occurred in each cell, with their counts. */
function countsOf<Own extends Kind>(data: RunData, kinds: readonly Own[]) {
  return cellsOf(data).flatMap((cell) => {
    const requests = data.merged([cell])?.requests;
    return kinds.flatMap((kind) => {
      const count = requests?.get(kind.request);
      if (count === undefined) return [];
      return [{ cell, kind, count, meanMs: significantOrNull(data.valueOverRounds(kind.metric, [cell])) }];
    });
  });
}

function averagesOf(data: RunData, kinds: readonly Kind[]): RequestAverage[] {
  return countsOf(data, kinds).map(({ cell, kind: { request }, count: { ok, failed }, meanMs }) => {
    const known = data.requestLatencies(cell)?.percentilesUs(request, namedPercentiles) ?? [];
    const [p50Ms = null, p95Ms = null, p99Ms = null, p99_9Ms = null] = namedPercentiles.map((percent, at) => {
      const us = known[at];
      return us === undefined || ok < answersFor(percent) ? null : significant(us / 1000);
    });
    const { variant, load, repeat } = cell;
    return { request, variant, load, repeat, ok, failed, meanMs, p50Ms, p95Ms, p99Ms, p99_9Ms };
  });
}

function timeAverages(data: RunData, parts: readonly Part[]): ServerTimeAverage[] {
  return countsOf(data, parts).map(({ cell: { variant, load, repeat }, kind: { request, part }, count, meanMs }) => {
    const latencyMs = count.latencyUs / 1000;
    const share = latencyMs > 0 ? significant((count.serverMs.get(part) ?? 0) / latencyMs) : null;
    return { request, part, variant, load, repeat, meanMs, share };
  });
}

/**
 * Mean over the answers as expected to the requests of one name, in ms; `totalMs` is their sum. Series are cached by the
 * metric's name, so it must be unique in the run.
 */
function meanOfRequests(name: string, request: string, totalMs: (count: RequestCount) => number): Metric {
  return {
    name,
    unit: 'ms',
    label: 'mean ms',
    better: 'lower',
    group: 'load',
    overRounds: 'mean',
    follows: 'latency',
    request,
    read({ requests }) {
      const count = requests.get(request);
      if (count === undefined || count.ok === 0) return { value: null, gap: { samples: 0, needed: 1 } };
      return { value: totalMs(count) / count.ok };
    },
  };
}
