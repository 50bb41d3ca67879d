import type { BoundedSpec, ConnectionsLevel } from '../journal/scenario-record.ts';
import { type Answered, Connection } from './connection.ts';
import type { LoadJob, LoadResult, LoadStream } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import type { WireRequest } from './request-text.ts';
import { createTally, type Tally } from './tally.ts';
import { TurnStream } from './turn-stream.ts';

/**
 * Requests under way at a turn's end get this long to be answered, or so many times the longest latency so far; where
 * nothing was answered yet, all of their timeout.
 */
const DRAIN_MS = 2000;
const DRAIN_LATENCIES = 3;

/** A job of so many connections. */
export type ClosedLoopJob = LoadJob & { readonly load: ConnectionsLevel };

/** Closed-loop load in turns, over connections that stay open between them. */
export function openHttpStream(job: ClosedLoopJob, source: RequestSource): LoadStream {
  return new HttpStream(job, source);
}

class HttpStream extends TurnStream {
  private busy = 0;
  private readonly bounded: BoundedSpec | null;
  private sent = 0;
  private reachedLimit = false;
  private boundedMs: number | null = null;

  constructor(job: ClosedLoopJob, source: RequestSource) {
    super(job, source, createTally(source));
    this.bounded = job.bounded ?? null;
    for (let i = 0; i < job.load.connections; i++) this.connections.push(new Connection(this.url, this));
  }

  protected override begin(): void {
    this.sending = true;
    this.sent = 0;
    this.reachedLimit = false;
    this.busy = this.connections.length;
    for (const connection of this.connections) {
      // There may be fewer requests than connections.
      if (this.sending) connection.begin();
      else this.busy--;
    }
  }

  override next(): WireRequest {
    if (++this.sent === this.bounded?.count) this.sending = false;
    return super.next();
  }

  override async close(): Promise<LoadResult> {
    const result = await super.close();
    const { bounded, boundedMs: durationMs } = this;
    return bounded === null ? result : { ...result, bounded: { wanted: bounded.count, durationMs } };
  }

  /** The time of so many requests is all of the turn; at the limit the rest is let go, and is neither answered nor failed. */
  protected override ended(wallMs: number): ReturnType<Tally['end']> {
    if (this.bounded === null) return this.tally.end();
    this.boundedMs = this.reachedLimit ? null : wallMs;
    return this.tally.end(wallMs);
  }

  protected override endSending(): void {
    if (this.isOver) return;
    const isLimit = this.bounded !== null && this.busy > 0;
    super.endSending();
    if (!isLimit) return;
    this.reachedLimit = true;
    for (const connection of this.connections) connection.destroy();
    this.finish();
  }

  override answered(answer: Answered): void {
    super.answered(answer);
    // A timer is late where the event loop is busy, and it is.
    if (this.elapsedMs() >= this.durationMs) this.endSending();
  }

  override rested(): void {
    if (--this.busy === 0) this.finish();
  }

  protected override drainMs(): number {
    const { timeoutMs } = this.job;
    const enoughMs = Math.max(DRAIN_MS, DRAIN_LATENCIES * this.longestMs);
    return this.longestMs === 0 ? timeoutMs : Math.min(timeoutMs, enoughMs);
  }
}
