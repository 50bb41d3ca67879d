import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type RequestCounts, serverTimeKey } from '../read/cells/request-counts.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { significantOrNull } from '../stats/rounding.ts';
import { judgeTogether } from './compare.ts';
import { type Comparison, toComparison } from './comparison.ts';
import { cellsOf, variantContrasts } from './contrasts.ts';
import { meanOfRequests } from './mean-of-requests.ts';
import type { Session } from './session.ts';

/** More parts than this are no help, and their family leaves next to nothing to each. */
const MOST_COMPARISONS = 500;

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
export interface ServerTimeAverage {
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

export interface ServerTimeComparison extends Comparison {
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
  const parts = all.slice(0, Math.max(1, Math.floor(MOST_COMPARISONS / Math.max(1, contrasts.length))));
  const questions = contrasts.flatMap((contrast) => parts.map((part) => ({ ...part, contrast })));
  return {
    averages: averagesOf(data, parts),
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
    .map(({ request, part }) => ({ request, part, metric: meanOf(request, part) }));
}

function averagesOf(data: RunData, parts: readonly Part[]): ServerTimeAverage[] {
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

function meanOf(request: string, part: string): Metric {
  const name = `server_ms of ${serverTimeKey(request, part)}`;
  return meanOfRequests(name, request, ({ serverMs }) => serverMs.get(part) ?? 0);
}
