import type { SliceRecord } from '../../journal/slice-record.ts';
import type { Answered, Failed } from './connection-outcomes.ts';
import { type ClosedLoopJob, openHttpStream } from './http-stream.ts';
import type { LoadOptions, LoadResult, LoadStream, Turn, TurnResult } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import { createTally, type Tally, type TurnCounts } from './tally.ts';
import { TurnStream } from './turn-stream.ts';

/**
 * Requests of a closed loop that continue while a job runs: its turn counts them without the job, and then beside it. A job
 * without a bound is a warm-up, of requests alone.
 */
export function openBesideStream(job: ClosedLoopJob, source: RequestSource): LoadStream {
  return job.bounded === undefined ? openHttpStream(job, source) : new BesideStream(job, source);
}

/** Everything that was under way at any time: a request may wait from before the job's start until after its end. */
const counts = 'under way';

/**
 * The turn's window is without the job. When it is over, and each request that was sent in it is answered, the stream is
 * steady: the second window opens, and the job begins. Both windows count alike, so that they can be compared.
 */
class BesideStream extends TurnStream {
  private readonly without: Tally;
  private busy = 0;
  private part: 'without' | 'closing' | 'beside' = 'without';
  private withoutEndMs = 0;
  private okByTime = 0;
  private onSteady: () => void = () => {};
  private closing: NodeJS.Timeout | null = null;

  constructor(job: ClosedLoopJob, source: RequestSource) {
    super(job, source, createTally(source, { counts }));
    this.without = createTally(source, { counts });
    for (let i = 0; i < job.load.connections; i++) this.addConnection();
  }

  override async turn(turn: Turn, options: LoadOptions = {}): Promise<TurnResult> {
    const { ends, onSteady = () => {} } = options;
    this.onSteady = onSteady;
    const end = (): void => this.endSending();
    ends?.addEventListener('abort', end, { once: true });
    try {
      return await super.turn(turn, options);
    } finally {
      ends?.removeEventListener('abort', end);
      if (this.closing !== null) clearTimeout(this.closing);
    }
  }

  protected override begin({ fromMs, toMs }: Turn): void {
    this.without.begin({ fromMs, toMs });
    this.tally.move({ fromMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });
    this.withoutEndMs = toMs;
    this.part = 'without';
    this.sending = true;
    this.busy = this.connections.length;
    for (const connection of this.connections) connection.begin();
    this.closing = setTimeout(() => {
      this.part = 'closing';
      this.closeWindow();
    }, toMs - this.elapsedMs());
  }

  override answered(answer: Answered, lacks = this.lackedBy(answer)): void {
    super.answered(answer, lacks);
    const { status, bytes, latencyMs, name } = answer;
    this.without.answer(this.elapsedMs(), status, bytes, latencyMs * 1000, name, { lacks: lacks !== null });
    this.closeWindow();
  }

  override failed(failure: Failed): void {
    super.failed(failure);
    const { kind, waitedMs, name } = failure;
    this.without.failure({ atMs: this.elapsedMs(), kind, waitedMs, name });
    this.closeWindow();
  }

  override rested(): void {
    if (--this.busy === 0) this.finish();
  }

  protected override endSending(): void {
    if (!this.isOver) this.endWindow();
    super.endSending();
  }

  protected override ended(): TurnCounts {
    this.okByTime = this.without.end().okByTime;
    return this.tally.end();
  }

  override async close(): Promise<LoadResult> {
    return { ...(await super.close()), beside: this.beside() };
  }

  /** Opens the second window once no request of the first one is under way. */
  private closeWindow(): void {
    const sinceMs = this.elapsedMs() - this.withoutEndMs;
    if (this.part !== 'closing' || this.connections.some(({ waitingMs }) => waitingMs > sinceMs)) return;
    this.part = 'beside';
    this.tally.move({ fromMs: this.elapsedMs() });
    this.onSteady();
  }

  private endWindow(): void {
    const atMs = this.elapsedMs();
    this.tally.move(this.part === 'beside' ? { toMs: atMs } : { fromMs: atMs, toMs: atMs });
  }

  private beside(): NonNullable<SliceRecord['beside']> {
    const { windowMs, outcomes, ok, latency } = this.without.result();
    const { okByTime } = this;
    return {
      longestUs: 1000 * this.tally.longestMs,
      without: {
        windowMs,
        outcomes,
        ...(ok !== undefined && { ok }),
        okByTime,
        latency,
        longestUs: 1000 * this.without.longestMs,
      },
    };
  }
}
