import { performance } from 'node:perf_hooks';
import type { Header } from './answer-parser.ts';
import { Connection, type ConnectionLoad } from './connection.ts';
import type { Answered, Failed } from './connection-outcomes.ts';
import { connectAll, watchTimeouts } from './connections.ts';
import { CONTENT_ENCODING } from './decoded-body.ts';
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
import { reportRate } from './report-rate.ts';
import type { RequestSource } from './request-source.ts';
import { requestWriter, type WireRequest, wireRequests } from './request-text.ts';
import type { GeneratedRequest } from './requests/generated-request.ts';
import { MOST_BODY_BYTES, UserLoad, type UsersOf } from './script/user-load.ts';
import { parseServerTiming, type ServerTime } from './server-timing.ts';
import { createSilence, type Silence } from './silence.ts';
import type { Tally, TurnCounts } from './tally.ts';
import { createTries } from './tries.ts';

/** Longest part of a failed answer that is reported. */
export const MOST_TEXT = 2000;
const SERVER_TIMING = 'server-timing';
/**
 * Where a turn does not count, requests under way at its end get this long to be answered, or this many times the longest
 * latency so far; where nothing was answered yet, all of their timeout.
 */
const DRAIN_MS = 2000;
const DRAIN_LATENCIES = 3;

/** Common part of all kinds of load: turns over connections that stay open between them, and their results. */
export abstract class TurnStream implements LoadStream, ConnectionLoad, UsersOf {
  sending = false;
  readonly counts = { opened: 0, reopened: 0, closingAnswers: 0 };
  readonly keptHeaders: readonly string[];
  readonly mostBodyBytes?: number;
  protected readonly job: LoadJob;
  protected readonly url: URL;
  protected readonly tally: Tally;
  /** All connections so far. */
  protected readonly connections: Connection[] = [];
  /** When the turn that is on began. */
  protected startMs = 0;
  protected durationMs = 0;
  private longestMs = 0;
  /** The time for sending is over. */
  protected isOver = true;
  /** The time of the turns that have ended. */
  protected loadMs = 0;
  /** One for each instance of the service. */
  protected readonly urls: readonly URL[];
  private readonly source: RequestSource;
  private readonly request: () => WireRequest;
  private readonly write: (request: GeneratedRequest) => WireRequest;
  private readonly use = createGeneratorUse();
  private startedAt: Date | null = null;
  private readonly silence: Silence;
  private readonly tries = createTries();
  /** The first request that failed, until the end of its turn; of those that follow nothing is kept. */
  private failure: FailedRequest | null = null;
  private hasFailed = false;
  private givesUpEarly = false;
  private timers: NodeJS.Timeout[] = [];
  private settle: ((error?: unknown) => void) | null = null;

  constructor(job: LoadJob, source: RequestSource, tally: Tally) {
    this.job = job;
    this.tally = tally;
    this.silence = createSilence(job.url);
    this.url = new URL(job.url);
    this.urls = (job.urls ?? [job.url]).map((url) => new URL(url));
    this.source = source;
    this.request = wireRequests(this.url, source);
    this.write = requestWriter(this.url);
    const { script, checks } = source;
    const seesBodies = script !== undefined || checks !== undefined;
    this.keptHeaders = [SERVER_TIMING, ...(script?.looksAt ?? []), ...(seesBodies ? [CONTENT_ENCODING] : [])];
    if (checks !== undefined) this.mostBodyBytes = MOST_BODY_BYTES;
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

  /** The next request to be sent, which is a user's where it is given. */
  next(request?: GeneratedRequest): WireRequest {
    return request === undefined ? this.request() : this.write(request);
  }

  broken(error: unknown): void {
    this.settle?.(error);
  }

  expects(status: number, name: number): boolean {
    return this.tally.expects(status, name);
  }

  wantsBody(status: number, name: number): boolean {
    return this.expects(status, name) ? this.source.checks?.[name] !== undefined : !this.hasFailed;
  }

  lackedBy({ status, name, body }: Answered): string | null {
    const check = this.source.checks?.[name];
    return check === undefined || !this.expects(status, name) ? null : check(body);
  }

  answered(answer: Answered, lacks = this.lackedBy(answer)): void {
    const { status, bytes, latencyMs, name, body, headers } = answer;
    this.silence.answered();
    this.tries.answered(latencyMs);
    this.longestMs = Math.max(this.longestMs, latencyMs);
    const isPlain = headers.length === 0 && lacks === null;
    const detail = { parts: answer, ...(!isPlain && { lacks: lacks !== null, serverTimes: timesIn(headers) }) };
    this.tally.answer(this.elapsedMs(), status, bytes, latencyMs * 1000, name, detail);
    if (lacks !== null) this.noteFailure({ status, text: lacks });
    else if (!this.expects(status, name)) this.noteFailure({ status, text: body.slice(0, MOST_TEXT) });
  }

  failed(failure: Failed): void {
    const { kind, message, name, waitedMs } = failure;
    this.tally.failure({ atMs: this.elapsedMs(), kind, waitedMs, name });
    this.noteFailure({ status: null, text: message });
    const error = this.silence.failed(failure);
    if (error !== null) this.settle?.(error);
  }

  pauseMs(waitedMs: number): number {
    return this.isOver ? 0 : this.tries.pauseMs(waitedMs);
  }

  abstract rested(connection: Connection): void;

  /** Another connection. Where there is a script, it is that of another user, who does not pause. */
  protected addConnection(instance?: number): Connection {
    const { script } = this.source;
    const load = script === undefined ? this : new UserLoad(this, script.openSession(this.connections.length));
    return this.connect(load, instance);
  }

  /** A connection to one of the instances: the next one, where none is named. */
  protected connect(load: ConnectionLoad, instance = this.connections.length % this.urls.length): Connection {
    const connection = new Connection(this.urls[instance] ?? this.url, load);
    this.connections.push(connection);
    return connection;
  }

  /** Called before the clock starts. */
  protected async prepare(): Promise<void> {
    await connectAll(this.connections);
  }

  /** Called after a turn, however it ended. */
  protected async afterTurn(): Promise<void> {}

  /** Load that comes before the clock starts, and so does not count; null where there is none. */
  protected enter(): Promise<void> | null {
    return null;
  }

  /** The clock has started. */
  protected abstract begin(turn: Turn): void;

  protected ended(_wallMs: number): TurnCounts {
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
    for (const connection of this.connections) connection.endPause();
    const giveUp = (): void => {
      for (const connection of this.connections) connection.timeOut();
    };
    if (this.settle !== null) this.timers.push(setTimeout(giveUp, this.drainMs()));
  }

  /** How long requests that are under way when the time is over are waited for. What is given up then has failed. */
  private drainMs(): number {
    const { timeoutMs } = this.job;
    if (!this.givesUpEarly || this.longestMs === 0) return timeoutMs;
    return Math.min(timeoutMs, Math.max(DRAIN_MS, DRAIN_LATENCIES * this.longestMs));
  }

  private noteFailure(failure: FailedRequest): void {
    if (this.hasFailed) return;
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
        if (error !== undefined) this.cutOff();
        this.endSending();
        for (const timer of this.timers) clearTimeout(timer);
        this.timers = [];
        unwatch();
        if (error === undefined) resolve();
        else reject(error);
      };
      const start = (): void => {
        if (this.settle === null) return;
        if (onLive) this.timers.push(reportRate(this.tally, onLive));
        this.startedAt ??= new Date();
        this.use.resume();
        this.startMs = performance.now();
        this.begin(turn);
        if (this.settle !== null) this.endInTime();
      };
      this.durationMs = durationMs;
      this.givesUpEarly = turn.givesUpEarly === true;
      this.tally.begin({ fromMs, toMs });
      this.silence.begin(turn);
      this.isOver = false;
      // What comes before the clock starts comes before all that counts.
      this.startMs = Number.POSITIVE_INFINITY;
      const entering = this.enter();
      if (entering === null) start();
      else entering.then(start, (error: unknown) => this.settle?.(error));
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

function timesIn(headers: readonly Header[]): readonly ServerTime[] {
  return headers.flatMap(([name, value]) => (name === SERVER_TIMING ? parseServerTiming(value) : []));
}
