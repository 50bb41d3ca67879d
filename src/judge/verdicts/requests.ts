import { answersFor, namedPercentiles } from '../../journal/run/percentiles.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { mergeRequests, type RequestCount, type RequestCounts, serverTimeKey } from '../read/cells/request-counts.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { significant, significantOrNull } from '../stats/rounding.ts';
import { judgeTogether } from './compare.ts';
import { type Comparison, toComparison } from './comparison.ts';
import { cellsOf, variantContrasts } from './contrasts.ts';
import type { Session } from './session.ts';

/** More comparisons than this are no help, and their family leaves next to nothing to each. */
const MOST_COMPARISONS = 2000;
const MOST_NAMES = 50;

/** The kinds of request that a workload tells apart by name; all empty where it has only one. */
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

/** Averages and judged changes by the name of the request. An unfit session takes verdicts away. */
export function summarizeRequests(data: RunData, session: Session): RequestsSummary {
  const contrasts = variantContrasts(data);
  const all = namesIn(data);
  const most = Math.min(MOST_NAMES, Math.max(1, Math.floor(MOST_COMPARISONS / Math.max(1, contrasts.length))));
  const names = all.slice(0, most);
  const byName = new Map(names.map((name) => [name, meanOf(name)]));
  const questions = contrasts.flatMap((contrast) =>
    [...byName].map(([request, metric]) => ({ request, metric, contrast })),
  );
  return {
    averages: averagesOf(data, byName),
    comparisons: judgeTogether(data, questions).map((judged) => ({
      ...toComparison(data, judged, session),
      metric: 'latency_mean_ms',
      request: judged.request,
    })),
    leftOut: all.length - names.length,
  };
}

/** Those with most requests first; none where there is one alone. */
function namesIn(data: RunData): string[] {
  const requests = mergeRequests(cellsOf(data).flatMap((cell) => data.merged([cell])?.requests ?? []));
  if (requests.size < 2) return [];
  const sizes = [...requests].map(([name, { ok, failed }]) => ({ name, requests: ok + failed }));
  return sizes.sort((a, b) => b.requests - a.requests).map(({ name }) => name);
}

function averagesOf(data: RunData, byName: ReadonlyMap<string, Metric>): RequestAverage[] {
  return cellsOf(data).flatMap((cell) => {
    const sample = data.merged([cell]);
    return [...byName].flatMap(([request, metric]) => {
      const count = sample?.requests.get(request);
      if (count === undefined) return [];
      const { variant, load, repeat } = cell;
      const meanMs = significantOrNull(data.valueOverRounds(metric, [cell]));
      const { ok, failed } = count;
      const known = data.requestLatencies(cell)?.percentilesUs(request, namedPercentiles) ?? [];
      const [p50Ms = null, p95Ms = null, p99Ms = null, p99_9Ms = null] = namedPercentiles.map((percent, at) => {
        const us = known[at];
        return us === undefined || ok < answersFor(percent) ? null : significant(us / 1000);
      });
      return [{ request, variant, load, repeat, ok, failed, meanMs, p50Ms, p95Ms, p99Ms, p99_9Ms }];
    });
  });
}

/** The mean latency of the requests of a name. */
function meanOf(request: string): Metric {
  return meanOfRequests(`latency_mean_ms of ${request}`, request, ({ latencyUs }) => latencyUs / 1000);
}

/**
 * The mean over the answers as expected to the requests of one name, in milliseconds; `totalMs` is their sum. No other
 * metric of the run has this name: series are remembered by it.
 */
function meanOfRequests(name: string, request: string, totalMs: (count: RequestCount) => number): Metric {
  return {
    name,
    unit: 'ms',
    label: 'mean ms',
    better: 'lower',
    group: 'load',
    overRounds: 'mean',
    read({ requests }) {
      const count = requests.get(request);
      if (count === undefined || count.ok === 0) return { value: null, gap: { samples: 0, needed: 1 } };
      return { value: totalMs(count) / count.ok };
    },
  };
}

/** More parts than this are no help, and their family leaves next to nothing to each. */
const MOST_PART_COMPARISONS = 500;

/** Where the time of requests went, as the service tells in its header Server-Timing. */
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

interface Part {
  readonly request: string;
  readonly part: string;
  readonly metric: Metric;
}

/** Averages and judged changes of the parts; null where no answer told of any. An unfit session takes verdicts away. */
export function summarizeServerTimes(data: RunData, session: Session): ServerTimesSummary | null {
  const contrasts = variantContrasts(data);
  const all = partsIn(data);
  if (all.length === 0) return null;
  const parts = all.slice(0, Math.max(1, Math.floor(MOST_PART_COMPARISONS / Math.max(1, contrasts.length))));
  const questions = contrasts.flatMap((contrast) => parts.map((part) => ({ ...part, contrast })));
  return {
    averages: timeAverages(data, parts),
    comparisons: judgeTogether(data, questions).map((judged) => ({
      ...toComparison(data, judged, session),
      metric: 'server_ms',
      request: judged.request,
      part: judged.part,
    })),
    leftOut: all.length - parts.length,
  };
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
    .map(({ request, part }) => ({ request, part, metric: meanOfPart(request, part) }));
}

function timeAverages(data: RunData, parts: readonly Part[]): ServerTimeAverage[] {
  return cellsOf(data).flatMap((cell) => {
    const { variant, load, repeat } = cell;
    const requests: RequestCounts = data.merged([cell])?.requests ?? new Map();
    return parts.flatMap(({ request, part, metric }) => {
      const count = requests.get(request);
      if (count === undefined) return [];
      const meanMs = data.valueOverRounds(metric, [cell]);
      const latencyMs = count.latencyUs / 1000;
      const share = latencyMs > 0 ? (count.serverMs.get(part) ?? 0) / latencyMs : null;
      const own = { request, part, variant, load, repeat };
      return [{ ...own, meanMs: significantOrNull(meanMs), share: significantOrNull(share) }];
    });
  });
}

function meanOfPart(request: string, part: string): Metric {
  const name = `server_ms of ${serverTimeKey(request, part)}`;
  return meanOfRequests(name, request, ({ serverMs }) => serverMs.get(part) ?? 0);
}
