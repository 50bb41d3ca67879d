import type { AutocannonResult, AutocannonRun } from 'autocannon';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { loadLabel } from '../../../journal/load-level.ts';
import { basePath } from '../base-path.ts';
import type { Failed } from '../connection-outcomes.ts';
import { createGeneratorUse } from '../generator-use.ts';
import type { ClosedLoopJob } from '../http-stream.ts';
import type { FailedRequest, LoadOptions, LoadResult, LoadStream, Turn, TurnResult } from '../load-generator.ts';
import { reportRate } from '../report-rate.ts';
import type { RequestSource } from '../request-source.ts';
import { createSilence, type Silence } from '../silence.ts';
import { createTally, type Tally } from '../tally.ts';
import { MOST_TEXT } from '../turn-stream.ts';
import { ClientWatch, type WatchEars, type WatchedAnswer } from './client-watch.ts';

/** autocannon's own; its requests a second are counts of a sample. */
const SAMPLE_MS = 1000;

/** Load by autocannon in this process: one run for every turn, whose requests are followed one by one. */
export function openAutocannonStream(job: ClosedLoopJob, source: RequestSource): LoadStream {
  return new AutocannonStream(job, source);
}

class AutocannonStream implements LoadStream, WatchEars {
  private readonly job: ClosedLoopJob;
  private readonly source: RequestSource;
  private readonly tally: Tally;
  private readonly use = createGeneratorUse();
  private readonly results: AutocannonResult[] = [];
  private readonly counts = { opened: 0, closingAnswers: 0, lost: 0, cutOff: 0 };
  private startedAt: Date | null = null;
  private startMs = 0;
  private loadMs = 0;
  private readonly silence: Silence;
  private failure: FailedRequest | null = null;
  private hasFailed = false;
  private giveUp: (error: Error) => void = () => {};

  constructor(job: ClosedLoopJob, source: RequestSource) {
    this.job = job;
    this.source = source;
    this.silence = createSilence(job.url);
    this.tally = createTally(source, { counts: 'answered' });
  }

  async turn(turn: Turn, { onLive, signal }: LoadOptions = {}): Promise<TurnResult> {
    // Loaded for those alone who ask for it.
    const { default: autocannon } = await import('autocannon');
    signal?.throwIfAborted();
    const watch = new ClientWatch(this.source, this, basePath(new URL(this.job.url)));
    const durationMs = Math.ceil(turn.durationMs);
    this.tally.begin(turn);
    this.silence.begin(turn);
    this.startedAt ??= new Date();
    this.use.resume();
    this.startMs = performance.now();
    const reporting = onLive && reportRate(this.tally, onLive);
    try {
      const result = await this.ended(
        () =>
          autocannon({
            ...this.options(watch),
            duration: durationMs / 1000,
            sampleInt: Math.min(SAMPLE_MS, durationMs),
          }),
        signal,
      );
      this.results.push(result);
    } finally {
      clearInterval(reporting);
      this.use.pause();
      this.counts.cutOff += watch.end();
      watch.destroy();
    }
    const wallMs = this.elapsedMs();
    this.loadMs += wallMs;
    this.counts.opened += watch.opened;
    this.counts.closingAnswers += watch.closingAnswers;
    this.counts.lost += watch.lost;
    const { failure } = this;
    this.failure = null;
    return { wallMs, ...this.tally.end(), ...(failure !== null && { failure }) };
  }

  async close(): Promise<LoadResult> {
    const { opened, closingAnswers, lost, cutOff } = this.counts;
    const last = this.results.at(-1);
    return {
      startedAt: (this.startedAt ?? new Date()).toISOString(),
      loadMs: this.loadMs,
      connectionsOpened: opened,
      reopened: 0,
      closingAnswers,
      ...this.tally.result(),
      generator: this.use.result(),
      ...(last !== undefined && {
        ownResults: this.results.map((result) => ({ engine: 'autocannon', result })),
        probe: {
          probe: 'autocannon',
          values: {
            autocannon_requests_per_s: last.requests.average,
            autocannon_p50_ms: last.latency.p50,
            autocannon_p99_ms: last.latency.p99,
            autocannon_lost: lost,
            autocannon_cut_off: cutOff,
          },
        },
      }),
    };
  }

  answered({ status, bytes, latencyMs, name }: WatchedAnswer, body: string): boolean {
    this.silence.answered();
    const isExpected = this.tally.expects(status, name);
    const lacks = (isExpected && this.source.checks?.[name]?.(body)) || null;
    this.tally.answer(this.elapsedMs(), status, bytes, latencyMs * 1000, name, { lacks: lacks !== null });
    if (lacks !== null) this.noteFailure({ status, text: lacks });
    else if (!isExpected) this.noteFailure({ status, text: body.slice(0, MOST_TEXT) });
    return lacks === null;
  }

  failed(failure: Failed): void {
    const { kind, message, name, waitedMs } = failure;
    this.tally.failure({ atMs: this.elapsedMs(), kind, waitedMs, name });
    this.noteFailure({ status: null, text: message });
    const error = this.silence.failed(failure);
    if (error !== null) this.giveUp(error);
  }

  private options(watch: ClientWatch) {
    const { url, urls = [url], load, pipelining = 1, timeoutMs, variant } = this.job;
    return {
      title: [variant?.name ?? [], loadLabel(load)].flat().join(', '),
      url: urls,
      connections: load.connections,
      pipelining,
      timeout: timeoutMs / 1000,
      requests: watch.requests(),
      setupClient: watch.setupClient,
      verifyBody: watch.verifyBody,
    };
  }

  /** The result of a run. Throws where it fails or crashes, where the service answers nothing, and the signal's reason. */
  private async ended(start: () => AutocannonRun, signal: AbortSignal | undefined): Promise<AutocannonResult> {
    let stop = (): void => {};
    const crash = (error: unknown): void => this.giveUp(crashed(error));
    const abort = (): void => this.giveUp(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    // It calls us and its parts from events of sockets, where nobody else would catch what they throw.
    process.on('uncaughtException', crash);
    try {
      return await new Promise((resolve, reject) => {
        this.giveUp = reject;
        const run = start();
        stop = () => run.stop?.();
        run.then(resolve, (error: unknown) => reject(crashed(error)));
      });
    } catch (error) {
      stop();
      throw error;
    } finally {
      process.off('uncaughtException', crash);
      signal?.removeEventListener('abort', abort);
    }
  }

  private elapsedMs(): number {
    return performance.now() - this.startMs;
  }

  private noteFailure(failure: FailedRequest): void {
    if (this.hasFailed) return;
    this.failure = failure;
    this.hasFailed = true;
  }
}

function crashed(error: unknown): PgsweepError {
  if (error instanceof PgsweepError) return error;
  return new PgsweepError('load', `autocannon crashed: ${messageOf(error)}`, {
    hint: 'Without load.autocannon, the load generator of pgsweep sends these requests.',
    cause: error,
  });
}
