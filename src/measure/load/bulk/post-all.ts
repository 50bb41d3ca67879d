import { PgsweepError } from '../../../base/errors.ts';
import type { Random } from '../../../base/random.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import type { BulkRequest } from '../workload-module.ts';
import { type Drain, startDrain } from './drain.ts';
import type { OwnClock } from './own-clock.ts';
import type { Answer, Poster } from './poster.ts';
import { isAccepted, mayHelp, pauseMs } from './retry.ts';
import { createScheduler, type Ticket } from './scheduler.ts';

/**
 * This many requests are taken in and unfinished at most: enough to find one that can go, few enough that they are gone
 * before the garbage collector has to move them.
 */
const windowFor = (inFlight: number): number => Math.max(500, 10 * inFlight);
/** A service that has answered none of this many requests in a row, each with all its repeats, is not there. */
const MOST_UNANSWERED = 100;

/** A request on its way. */
export interface Outgoing {
  readonly request: BulkRequest;
  /** Its place among all, from 1. */
  readonly number: number;
  /** Its kind, whose latencies are shown together. */
  readonly name: string;
  /** By which it is counted. */
  readonly resource: string;
  /** How often it was sent. */
  attempts: number;
}

/** Called for each event, in order. */
export interface Observer {
  /** In the order of the requests. */
  read(outgoing: Outgoing): void;
  answered(outgoing: Outgoing, answer: Answer): void;
  /** The last of the request: it was accepted, or is given up. */
  settled(outgoing: Outgoing, answer: Answer, accepted: boolean): void;
}

export interface PostOptions extends Pick<BulkSpec, 'inFlight' | 'retries' | 'backoffMs'> {
  readonly requests: Iterable<BulkRequest> | AsyncIterable<BulkRequest>;
  readonly poster: Poster;
  readonly random: Random;
  readonly observer: Observer;
  /** Pauses before repeats are of its time: they stand still while the load does. */
  readonly clock: Pick<OwnClock, 'after'>;
  readonly signal: AbortSignal;
}

/** A bulk load on its way. It begins paused, and reads ahead meanwhile. */
export interface Posting {
  /**
   * Resolves when every request is accepted or given up. Rejects with what reading them throws, PgsweepError `load` when nothing answers any more, and the signal's reason; the poster is then to be closed.
   */
  readonly finished: Promise<void>;
  resume(): void;
  /** No request begins any more; resolves when none is under way, with how long connections idled until then (drain.ts). */
  pause(): Promise<number>;
}

/** Sends every request once all that it comes after is accepted or given up. */
export function startPosting(options: PostOptions): Posting {
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const sender = createSender({ ...options, signal }, (error) => lost.abort(error));
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // An abort does not wait for the next request: the first of a large folder takes its time.
  const finished = Promise.race([postAll({ ...options, signal }, sender), aborted]).finally(sender.end);
  return { finished, resume: sender.resume, pause: sender.pause };
}

async function postAll({ requests, observer, signal, inFlight }: PostOptions, sender: Sender): Promise<void> {
  const window = windowFor(inFlight);
  let number = 0;
  let wave: number | undefined;
  for await (const request of requests) {
    signal.throwIfAborted();
    const outgoing = toSend(request, ++number);
    observer.read(outgoing);
    while (request.wave !== wave && sender.unfinished > 0) await sender.progress();
    wave = request.wave;
    sender.add(outgoing);
    while (sender.unfinished >= window) await sender.progress();
  }
  while (sender.unfinished > 0) await sender.progress();
}

function toSend(request: BulkRequest, number: number): Outgoing {
  const { method = 'POST', path, resource } = request;
  const { name = resource ?? `${method.toUpperCase()} ${path.split('?')[0]}` } = request;
  return { request, number, name, resource: resource ?? name, attempts: 0 };
}

interface Sender {
  add(outgoing: Outgoing): void;
  readonly unfinished: number;
  /** Resolves when something is finished. Throws once the sender has ended. */
  progress(): Promise<void>;
  readonly resume: () => void;
  readonly pause: () => Promise<number>;
  readonly end: () => void;
}

/** Keeps as many requests under way as may be. `onLost` hears where it makes no sense to continue. */
function createSender(options: PostOptions, onLost: (error: PgsweepError) => void): Sender {
  const { poster, inFlight, retries, backoffMs, random, observer, clock, signal } = options;
  const scheduler = createScheduler<Outgoing>();
  let paused = true;
  let underWay = 0;
  let rested = (): void => {};
  let drain: Drain | null = null;
  let unanswered = 0;
  let wake = (): void => {};

  const fill = (): void => {
    while (!paused && underWay < inFlight) {
      const ticket = scheduler.next();
      if (ticket === undefined) return;
      send(ticket);
    }
  };
  const send = (ticket: Ticket<Outgoing>): void => {
    underWay++;
    ticket.item.attempts++;
    poster.post(ticket.item.request, (answer) => {
      underWay--;
      drain?.answered(underWay);
      observer.answered(ticket.item, answer);
      settle(ticket, answer);
      if (paused && underWay === 0) rested();
      else fill();
    });
  };
  const settle = (ticket: Ticket<Outgoing>, answer: Answer): void => {
    const { item } = ticket;
    const accepted = isAccepted(answer.outcome);
    if (typeof answer.outcome === 'number') unanswered = 0;
    if (!accepted && item.attempts <= retries && mayHelp(answer.outcome)) {
      clock.after(pauseMs(backoffMs, item.attempts, random), () => {
        scheduler.again(ticket);
        fill();
      });
      return;
    }
    if (typeof answer.outcome === 'string') unanswered++;
    scheduler.done(ticket);
    observer.settled(item, answer, accepted);
    if (unanswered >= MOST_UNANSWERED) onLost(unreachable(unanswered, answer));
    wake();
  };
  return {
    add(outgoing) {
      const { ids = [], after = [] } = outgoing.request;
      scheduler.add(outgoing, { ids, references: after });
      fill();
    },
    get unfinished() {
      return scheduler.unfinished;
    },
    async progress() {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      });
      signal.throwIfAborted();
    },
    resume() {
      paused = false;
      drain = null;
      fill();
    },
    pause() {
      paused = true;
      const began = startDrain(underWay);
      drain = began;
      return new Promise((resolve) => {
        rested = () => resolve(began.idleMs);
        if (underWay === 0) rested();
      });
    },
    end() {
      paused = true;
      wake();
    },
  };
}

function unreachable(unanswered: number, last: Answer): PgsweepError {
  return new PgsweepError(
    'load',
    `the service has not answered ${unanswered} requests in a row, each with all its repeats, lastly by: ${last.text}`,
    { hint: 'Is the service up, and does it accept this many connections? What it accepted before is loaded.' },
  );
}
