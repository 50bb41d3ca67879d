import { closedLoopClients } from '../../journal/load-level.ts';
import { type LatencySpread, spreadOf } from '../../judge/read/cells/latency-counts.ts';
import type { PartSpreads } from '../../judge/read/cells/part-counts.ts';
import type { Average } from '../../judge/verdicts/averages.ts';

/** The figures that `ab` prints of a run, of an arm under a load level; null where nothing was measured. */
export interface AbFigures {
  /** How many requests are under way at any time; null where that is not fixed. */
  readonly concurrency: number | null;
  /** The time that counts, over all rounds. */
  readonly seconds: number;
  readonly complete: number;
  readonly failed: number;
  /** Received, of the answers as expected. */
  readonly bytes: number;
  readonly perSecond: number | null;
  /** Mean, of one connection. */
  readonly msPerRequest: number | null;
  /** Mean, across all connections. */
  readonly msAcross: number | null;
  readonly kibPerSecond: number | null;
  /** From sending a request to the end of its answer. */
  readonly total: LatencySpread | null;
  readonly parts: PartSpreads | null;
  /** By percent. */
  readonly percentilesMs: Readonly<Record<string, number>> | null;
}

/**
 * As `ab` counts: complete are the requests that came back as expected, and time per request is that of one connection,
 * or of all.
 */
export function abFiguresOf(average: Average): AbFigures {
  const { load, windowMs, ok, not_ok, errors, timeouts, unsent = 0, bytes, distribution, metrics } = average;
  const perSecond = ok === 0 ? null : metrics.requests_per_s;
  const msAcross = perSecond === null || perSecond === 0 ? null : 1000 / perSecond;
  const concurrency = closedLoopClients(load);
  return {
    concurrency,
    seconds: windowMs / 1000,
    complete: ok,
    failed: not_ok + errors + timeouts + unsent,
    bytes,
    perSecond,
    msPerRequest: msAcross === null || concurrency === null ? null : msAcross * concurrency,
    msAcross,
    kibPerSecond: ok === 0 || windowMs === 0 ? null : bytes / 1024 / (windowMs / 1000),
    total: distribution && spreadOf(distribution),
    parts: average.parts,
    percentilesMs: distribution?.percentilesMs ?? null,
  };
}
