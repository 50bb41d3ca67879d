import { performance } from 'node:perf_hooks';
import { PgsweepError } from '../base/errors.ts';
import type { Answered, Connection, ConnectionLoad, Failed } from './connection.ts';
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
import type { Tally } from './tally.ts';

/** How often a live display hears the rate. */
const LIVE_MS = 500;
/** A service that refuses every connection would be tried in a tight loop. */
const MOST_ERRORS = 2000;

/** What all kinds of load have in common: turns over connections that stay open between them, and what they come to. */
export abstract class TurnStream implements LoadStream, ConnectionLoad {
  sending = false;
  readonly counts = { opened: 0, reopened: 0, closingAnswers: 0 };
  protected readonly job: LoadJob;
  protected readonly url: URL;
  protected readonly tally: Tally;
  /** All connections so far. */
  protected readonly connections: Connection[] = [];
  /** When the turn that is on began. */
  protected startMs = 0;
  protected durationMs = 0;
  protected longestMs = 0;
  /** The time for sending is over. */
  protected isOver = true;
  private readonly request: () => WireRequest;
  private readonly use = createGeneratorUse();
  private startedAt: Date | null = null;
  private loadMs = 0;
  private answers = 0;
  private errors = 0;
  /** The first request that failed, until the end of its turn; of those that follow nothing is kept. */
  private failure: FailedRequest | null = null;
  private hasFailed = false;
  private timers: NodeJS.Timeout[] = [];
  private settle: ((error?: unknown) => void) | null = null;

  constructor(job: LoadJob, source: RequestSource, tally: Tally) {
    this.job = job;
    this.tally = tally;
    this.url = new URL(job.url);
    this.request = wireRequests(this.url, source);
  }

  async turn(turn: Turn, { onLive, signal }: LoadOptions = {}): Promise<TurnResult> {
    signal?.throwIfAborted();
    const abort = (): void => {
      this.cutOff();
      this.settle?.(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let wallMs = 0;
    try {
      await this.prepare();
      signal?.throwIfAborted();
      await this.load(turn, onLive);
      wallMs = this.elapsedMs();
    } catch (error) {
      this.cutOff();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      await this.afterTurn();
    }
    this.loadMs += wallMs;
    const { failure } = this;
    this.failure = null;
    return { wallMs, ...this.ended(wallMs), ...(failure !== null && { failure }) };
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

  next(): WireRequest {
    return this.request();
  }

  wantsBody(status: number, name: number): boolean {
    return !this.hasFailed && !this.tally.expects(status, name);
  }

  answered({ status, bytes, latencyMs, name, body }: Answered): void {
    this.answers++;
    this.longestMs = Math.max(this.longestMs, latencyMs);
    this.tally.answer(this.elapsedMs(), status, bytes, latencyMs * 1000, name);
    if (this.wantsBody(status, name)) this.noteFailure({ status, text: body });
  }

  failed({ kind, message, name, waitedMs }: Failed): void {
    this.tally.failure({ atMs: this.elapsedMs(), kind, waitedMs, name });
    if (!this.hasFailed) this.noteFailure({ status: null, text: message });
    this.errors++;
    if (this.errors < MOST_ERRORS || this.answers > this.errors) return;
    this.settle?.(unreachable(this.job, this.errors, message));
  }

  abstract rested(connection: Connection): void;

  /** What is done before the clock starts. */
  protected async prepare(): Promise<void> {
    await connectAll(this.connections);
  }

  /** What is done when a turn has ended, however it did. */
  protected async afterTurn(): Promise<void> {}

  /** The clock has started. */
  protected abstract begin(turn: Turn): void;

  /** How long requests that are under way when the time is over are waited for. What is given up then has failed. */
  protected abstract drainMs(): number;

  protected ended(_wallMs: number): ReturnType<Tally['end']> {
    return this.tally.end();
  }

  /** The last answer of the turn has come. */
  protected finish(): void {
    this.settle?.();
  }

  protected elapsedMs(): number {
    return performance.now() - this.startMs;
  }

  /** Requests that are under way are waited for; those that get no answer are given up. */
  protected endSending(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.sending = false;
    this.use.pause();
    const giveUp = (): void => {
      for (const connection of this.connections) connection.timeOut();
    };
    if (this.settle !== null) this.timers.push(setTimeout(giveUp, this.drainMs()));
  }

  private noteFailure(failure: FailedRequest): void {
    this.failure = failure;
    this.hasFailed = true;
  }

  /** From the first request to the last answer. */
  private load(turn: Turn, onLive: LoadOptions['onLive']): Promise<void> {
    const { durationMs, fromMs, toMs } = turn;
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
      if (onLive) this.timers.push(reportRate(this.tally, onLive));
      this.startedAt ??= new Date();
      this.tally.begin({ fromMs, toMs });
      this.use.resume();
      this.isOver = false;
      this.startMs = performance.now();
      this.begin(turn);
      this.endInTime();
    });
  }

  /** Timers count from when the event loop last looked at the clock, so that they may fire early, by a lot where it was busy. */
  private endInTime(): void {
    const leftMs = this.durationMs - this.elapsedMs();
    if (leftMs <= 0) this.endSending();
    else this.timers.push(setTimeout(() => this.endInTime(), leftMs + 1));
  }

  private cutOff(): void {
    this.isOver = true;
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
