import { createRandom, seedOf } from '../../../base/random.ts';
import { createLatencyHistogram, type LatencyHistogram } from '../../../journal/histogram.ts';
import type { OpenLoopSpec, RateLevel } from '../../../journal/scenario-record.ts';
import type { Connection } from '../connection.ts';
import type { LoadJob, LoadResult, LoadStream, Turn } from '../load-generator.ts';
import type { RequestSource } from '../request-source.ts';
import { createTally } from '../tally.ts';
import { TurnStream } from '../turn-stream.ts';
import { startTicker, type Ticker } from './ticker.ts';

/**
 * The ticker wakes the event loop a little early, since waking takes some tenths of a millisecond; until the request is due
 * the loop goes round without a rest, so that answers are heard. At high rates less early: it would never rest.
 */
const LEAD_MS = 0.15;
const MOST_AWAKE_SHARE = 0.3;

/** Due times that are over are forgotten in lots of this many. */
const MOST_KEPT = 4096;

/** A job of this many requests a second. */
type RateJob = LoadJob & { readonly load: RateLevel; readonly openLoop: OpenLoopSpec };

/**
 * Open-loop load: requests are sent at their times, whether earlier ones were answered or not, and latency counts from
 * these times, as for users who do not wait for each other (Tene, How not to measure latency, 2013). Connections are opened
 * as they are needed, and kept; connecting is part of the latency of the request that needed it. Of several instances each
 * gets the next request in order: dealt out by connections, few would serve a low rate. A request that is due
 * while as many as may be are under way is not sent, and counted.
 */
export function openRateStream(job: RateJob, source: RequestSource): LoadStream {
  return new RateStream(job, source);
}

class RateStream extends TurnStream {
  private readonly rateJob: RateJob;
  private readonly lag: LatencyHistogram = createLatencyHistogram();
  /** By instance. The last to rest goes first, so that no more are used than are needed. */
  private readonly idle: readonly Connection[][];
  private readonly instances = new Map<Connection, number>();
  /** Requests that were dealt to the instances. */
  private dealt = 0;
  private underWay = 0;
  /** Turns so far: each has its own arrivals. */
  private turns = 0;
  private window = { fromMs: 0, toMs: 0 };
  private ticker: Ticker | null = null;
  private readonly leadMs: number;
  private isAwake = false;
  private arrivals: Arrivals | null = null;
  /** Due times that the ticker knows and that are not over, in milliseconds from the start; the first is at `first`. */
  private due: number[] = [];
  private first = 0;
  /** The next one that the ticker does not know yet. */
  private nextDueMs = 0;

  constructor(job: RateJob, source: RequestSource) {
    super(job, source, createTally(source));
    this.rateJob = job;
    this.idle = this.urls.map(() => []);
    this.leadMs = Math.min(LEAD_MS, (1000 * MOST_AWAKE_SHARE) / job.load.rate);
  }

  override async close(): Promise<LoadResult> {
    return { ...(await super.close()), sendLag: this.lag.toRecord() };
  }

  /** Others come at their times, whether it has failed or not. */
  override pauseMs(): number {
    return 0;
  }

  override rested(connection: Connection): void {
    this.idle[this.instances.get(connection) ?? 0]?.push(connection);
    this.underWay--;
    // A loop that is busy with answers hears late of what is due.
    this.sendDue();
    this.finishIfDone();
  }

  protected override async prepare(): Promise<void> {
    this.ticker = await startTicker(() => this.sendDue());
    await super.prepare();
  }

  protected override async afterTurn(): Promise<void> {
    await this.ticker?.stop();
    this.ticker = null;
  }

  protected override begin({ fromMs, toMs }: Turn): void {
    const { load, openLoop, seed } = this.rateJob;
    this.window = { fromMs, toMs };
    this.arrivals = createArrivals({ ...openLoop, rate: load.rate, seed: seed + this.turns++ });
    this.due = [];
    this.first = 0;
    this.nextDueMs = this.arrivals.next();
    this.plan();
  }

  protected override endSending(): void {
    if (this.isOver) return;
    // What was due before the end is sent, late as it may be; after a stall that is more than the ticker had room for.
    const endMs = Math.min(this.durationMs, this.elapsedMs());
    while (this.arrivals !== null && this.nextDueMs < endMs) {
      this.due.push(this.nextDueMs);
      this.nextDueMs = this.arrivals.next();
    }
    this.sendDue();
    super.endSending();
    this.finishIfDone();
  }

  private sendDue(): void {
    const { due } = this;
    if (this.isOver) return;
    let nowMs = this.elapsedMs();
    while (this.first < due.length && (due[this.first] ?? 0) <= nowMs) {
      const dueMs = due[this.first++] ?? 0;
      if (this.underWay >= this.rateJob.openLoop.inFlight) {
        this.tally.unsent(dueMs);
        continue;
      }
      this.underWay++;
      this.freeConnection().begin(this.startMs + dueMs);
      // What is sent takes its time, too.
      const sentMs = this.elapsedMs();
      if (dueMs >= this.window.fromMs && dueMs < this.window.toMs) this.lag.record((nowMs - dueMs) * 1000);
      nowMs = sentMs;
    }
    this.plan();
    const next = due[this.first];
    if (next !== undefined && next - nowMs <= this.leadMs) this.stayAwake();
  }

  /** To the instance whose turn it is. */
  private freeConnection(): Connection {
    const instance = this.dealt++ % this.urls.length;
    const idle = this.idle[instance]?.pop();
    if (idle !== undefined) return idle;
    const connection = this.addConnection(instance);
    this.instances.set(connection, instance);
    return connection;
  }

  private stayAwake(): void {
    if (this.isAwake) return;
    this.isAwake = true;
    setImmediate(() => {
      this.isAwake = false;
      this.sendDue();
    });
  }

  /** Tells the ticker what is due next, as far ahead as it takes. */
  private plan(): void {
    const { ticker, arrivals } = this;
    if (ticker === null || arrivals === null || this.isOver) return;
    while (this.nextDueMs < this.durationMs && ticker.hasRoom) {
      ticker.add(this.startMs + this.nextDueMs - this.leadMs);
      this.due.push(this.nextDueMs);
      this.nextDueMs = arrivals.next();
    }
    // Those that are over need no room; a long load has millions.
    if (this.first < MOST_KEPT) return;
    this.due.splice(0, this.first);
    this.first = 0;
  }

  private finishIfDone(): void {
    if (this.isOver && this.underWay === 0) this.finish();
  }
}

/** The times at which requests are due, in milliseconds from the start of a turn, in order and without end. */
export interface Arrivals {
  next(): number;
}

interface ArrivalProcess extends Pick<OpenLoopSpec, 'arrivals'> {
  /** Requests a second, in the mean. */
  readonly rate: number;
  /** Seed of the times: equal seeds give equal times. */
  readonly seed: number;
}

/**
 * Constant: at equal distances. Poisson: at exponentially distributed ones (by inversion), as requests of many users who know
 * nothing of each other come; what is due in any stretch of time has the same variance as mean.
 */
export function createArrivals({ arrivals, rate, seed }: ArrivalProcess): Arrivals {
  const gapMs = 1000 / rate;
  if (arrivals === 'constant') {
    let count = 0;
    return { next: () => gapMs * count++ };
  }
  const random = createRandom(seedOf(seed, 'arrivals'));
  let atMs = 0;
  return {
    next() {
      atMs -= gapMs * Math.log1p(-random.next());
      return atMs;
    },
  };
}
