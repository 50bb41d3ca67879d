import { performance } from 'node:perf_hooks';
import { PgsweepError } from '../base/errors.ts';
import type { ConnectionsLevel } from '../journal/scenario-record.ts';
import { type Answered, Connection, type ConnectionLoad, type Failed } from './connection.ts';
import { connectAll, watchTimeouts } from './connections.ts';
import { createGeneratorUse } from './generator-use.ts';
import type {
  FailedRequest,
  LoadJob,
  LoadOptions,
  LoadResult,
  LoadStream,
  Turn,
  TurnResult,
} from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import { type WireRequest, wireRequests } from './request-text.ts';
import { createTally, type Tally } from './tally.ts';

/**
 * Requests under way at a turn's end get this long to be answered, or so many times the longest latency so far; where
 * nothing was answered yet, all of their timeout. What is given up then has failed.
 */
const DRAIN_MS = 2000;
const DRAIN_LATENCIES = 3;
/** How often a live display hears the rate. */
const LIVE_MS = 500;
/** A service that refuses every connection would be tried in a tight loop. */
const MOST_ERRORS = 2000;

/** A job of so many connections. */
export type ClosedLoopJob = LoadJob & { readonly load: ConnectionsLevel };

/** Closed-loop load in turns, over connections that stay open between them. */
export function openHttpStream(job: ClosedLoopJob, source: RequestSource): LoadStream {
  return new HttpStream(job, source);
}

class HttpStream implements LoadStream, ConnectionLoad {
  sending = false;
  readonly counts = { opened: 0, reopened: 0, closingAnswers: 0 };
  private readonly job: LoadJob;
  private readonly connections: readonly Connection[];
  private readonly tally: Tally;
  readonly next: () => WireRequest;
  private readonly use = createGeneratorUse();
  private startedAt: Date | null = null;
  private loadMs = 0;
  private answers = 0;
  private errors = 0;
  private longestMs = 0;
  /** The first request that failed, until the end of its turn; of those that follow nothing is kept. */
  private failure: FailedRequest | null = null;
  private hasFailed = false;
  /** When the turn that is on began. */
  private startMs = 0;
  private durationMs = 0;
  private busy = 0;
  private timers: NodeJS.Timeout[] = [];
  private settle: ((error?: unknown) => void) | null = null;

  constructor(job: ClosedLoopJob, source: RequestSource) {
    this.job = job;
    this.tally = createTally(source);
    const url = new URL(job.url);
    this.next = wireRequests(url, source);
    this.connections = Array.from({ length: job.load.connections }, () => new Connection(url, this));
  }

  async turn(turn: Turn, { onLive, signal }: LoadOptions = {}): Promise<TurnResult> {
    signal?.throwIfAborted();
    const abort = (): void => {
      this.cutOff();
      this.settle?.(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await connectAll(this.connections);
      signal?.throwIfAborted();
      await this.load(turn, onLive);
    } catch (error) {
      this.cutOff();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    const wallMs = this.elapsedMs();
    this.loadMs += wallMs;
    const { failure } = this;
    this.failure = null;
    return { wallMs, ...this.tally.end(), ...(failure !== null && { failure }) };
  }

  async close(): Promise<LoadResult> {
    this.cutOff();
    return {
      startedAt: (this.startedAt ?? new Date()).toISOString(),
      loadMs: this.loadMs,
      connectionsOpened: this.counts.opened,
      reopened: this.counts.reopened,
      closingAnswers: this.counts.closingAnswers,
      ...this.tally.result(),
      generator: this.use.result(),
    };
  }

  wantsBody(status: number, name: number): boolean {
    return !this.hasFailed && !this.tally.expects(status, name);
  }

  answered({ status, bytes, latencyMs, name, body }: Answered): void {
    const atMs = this.elapsedMs();
    this.answers++;
    this.longestMs = Math.max(this.longestMs, latencyMs);
    this.tally.answer(atMs, status, bytes, latencyMs * 1000, name);
    if (this.wantsBody(status, name)) this.noteFailure({ status, text: body });
    // A timer is late where the event loop is busy, and it is.
    if (atMs >= this.durationMs) this.endSending();
  }

  failed({ kind, message, name, waitedMs }: Failed): void {
    const atMs = this.elapsedMs();
    this.tally.failure({ atMs, kind, waitedMs, name });
    if (!this.hasFailed) this.noteFailure({ status: null, text: message });
    this.errors++;
    if (this.errors < MOST_ERRORS || this.answers > this.errors) return;
    this.settle?.(unreachable(this.job, this.errors, message));
  }

  private noteFailure(failure: FailedRequest): void {
    this.failure = failure;
    this.hasFailed = true;
  }

  rested(): void {
    if (--this.busy === 0) this.settle?.();
  }

  private elapsedMs(): number {
    return performance.now() - this.startMs;
  }

  /** From the first request to the last answer. */
  private load({ durationMs, fromMs, toMs }: Turn, onLive: LoadOptions['onLive']): Promise<void> {
    return new Promise((resolve, reject) => {
      const unwatch = watchTimeouts(this.connections, this.job.timeoutMs);
      this.settle = (error) => {
        this.settle = null;
        this.endSending();
        for (const timer of this.timers) clearTimeout(timer);
        this.timers = [];
        unwatch();
        if (error === undefined) resolve();
        else reject(error);
      };
      this.durationMs = durationMs;
      this.busy = this.connections.length;
      // A timer may fire a millisecond early. An answer after the end has ended the turn by then.
      this.timers.push(setTimeout(() => this.endSending(), durationMs + 1));
      if (onLive) this.timers.push(reportRate(this.tally, onLive));
      this.startedAt ??= new Date();
      this.tally.begin({ fromMs, toMs });
      this.use.resume();
      this.sending = true;
      this.startMs = performance.now();
      for (const connection of this.connections) connection.begin();
    });
  }

  /** Each connection rests after the answer that it waits for; those that get none are given up. */
  private endSending(): void {
    if (!this.sending) return;
    this.sending = false;
    this.use.pause();
    const giveUp = (): void => {
      for (const connection of this.connections) connection.timeOut();
    };
    const { timeoutMs } = this.job;
    const enoughMs = Math.max(DRAIN_MS, DRAIN_LATENCIES * this.longestMs);
    const drainMs = this.longestMs === 0 ? timeoutMs : Math.min(timeoutMs, enoughMs);
    if (this.settle !== null) this.timers.push(setTimeout(giveUp, drainMs));
  }

  private cutOff(): void {
    this.sending = false;
    this.use.pause();
    for (const connection of this.connections) connection.destroy();
  }
}

function reportRate(tally: Tally, report: (requestsPerSecond: number) => void): NodeJS.Timeout {
  let before = tally.ok;
  let beforeMs = performance.now();
  return setInterval(() => {
    // A busy event loop is late, so the time is measured and not assumed.
    const nowMs = performance.now();
    report(((tally.ok - before) * 1000) / (nowMs - beforeMs));
    before = tally.ok;
    beforeMs = nowMs;
  }, LIVE_MS);
}

function unreachable({ url }: LoadJob, errors: number, lastError: string): PgsweepError {
  return new PgsweepError('load', `${url} failed ${errors} requests without an answer, lastly by: ${lastError}`, {
    hint: 'Is the service up, and does it accept this many connections?',
  });
}
