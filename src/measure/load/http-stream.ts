import type { BoundedSpec, ConnectionsLevel } from '../../journal/scenario-record.ts';
import type { Answered } from './connection-outcomes.ts';
import type { LoadJob, LoadResult, LoadStream } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import type { WireRequest } from './request-text.ts';
import type { GeneratedRequest } from './requests/generated-request.ts';
import { createTally, type TurnCounts } from './tally.ts';
import { TurnStream } from './turn-stream.ts';

/** A job of this many connections. */
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
    super(job, source, createTally(source, { clients: job.load.connections }));
    this.bounded = job.bounded ?? null;
    for (let i = 0; i < job.load.connections; i++) this.addConnection();
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

  override next(request?: GeneratedRequest): WireRequest {
    if (++this.sent === this.bounded?.count) this.sending = false;
    return super.next(request);
  }

  override async close(): Promise<LoadResult> {
    const result = await super.close();
    const { bounded, boundedMs: durationMs } = this;
    return bounded === null ? result : { ...result, bounded: { wanted: bounded.count, durationMs } };
  }

  /** The time of this many requests is all of the turn; at the limit the rest is dropped, and is neither answered nor failed. */
  protected override ended(wallMs: number): TurnCounts {
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

  override answered(answer: Answered, lacks?: string | null): void {
    super.answered(answer, lacks);
    // A timer is late where the event loop is busy, and it is.
    if (this.elapsedMs() >= this.durationMs) this.endSending();
  }

  override rested(): void {
    if (--this.busy === 0) this.finish();
  }
}
