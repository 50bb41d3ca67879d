import { PgsweepError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { BulkSpec } from '../../journal/scenario-record.ts';
import { describeNumbered } from '../dataset/describe.ts';
import type { Document } from '../dataset/types.ts';
import type { DocumentDescription } from '../model/document.ts';
import { createBackoffs } from './backoffs.ts';
import type { Answer, Poster } from './poster.ts';
import { isAccepted, mayHelp, pauseMs } from './retry.ts';
import { createScheduler, type Ticket } from './scheduler.ts';

/**
 * This many documents are taken in and unfinished at most: enough to find one that can go, few enough that they are gone
 * before the garbage collector has to move them.
 */
const windowFor = (inFlight: number): number => Math.max(500, 10 * inFlight);
/** A service that has answered none of this many documents in a row, each with all its repeats, is not there. */
const MOST_UNANSWERED = 100;

/** A document on its way. */
export interface Outgoing {
  readonly document: Document;
  readonly description: DocumentDescription;
  /** How often it was sent. */
  attempts: number;
}

/** Called for each event, in order. */
export interface Observer {
  /** When the first document has been read. */
  started(): void;
  /** In the order of the data set. */
  read(outgoing: Outgoing): void;
  answered(outgoing: Outgoing, answer: Answer): void;
  /** The last of the document: it was accepted, or is given up. */
  settled(outgoing: Outgoing, answer: Answer, accepted: boolean): void;
}

export interface PostOptions extends Pick<BulkSpec, 'inFlight' | 'retries' | 'backoffMs'> {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  readonly poster: Poster;
  readonly random: Random;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** A data set on its way. It begins paused, and reads ahead meanwhile. */
export interface Posting {
  /**
   * Resolves when every document is accepted or given up. Rejects with PgsweepError `dataset` for a document that is
   * none, `load` when nothing answers any more, and the signal's reason; the poster is then to be closed.
   */
  readonly finished: Promise<void>;
  resume(): void;
  /** No request begins any more; resolves when none is under way. */
  pause(): Promise<void>;
}

/** Posts every document once all that it refers to is accepted or given up. */
export function startPosting(options: PostOptions): Posting {
  const sender = createSender(options);
  return { finished: postAll(options, sender), resume: sender.resume, pause: sender.pause };
}

async function postAll({ documents, observer, signal, inFlight }: PostOptions, sender: Sender): Promise<void> {
  signal.addEventListener('abort', sender.wake, { once: true });
  const window = windowFor(inFlight);
  let number = 0;
  try {
    for await (const document of untilAborted(documents, signal)) {
      const outgoing = { document, description: describeNumbered(document, ++number), attempts: 0 };
      if (number === 1) observer.started();
      observer.read(outgoing);
      sender.add(outgoing);
      while (sender.unfinished >= window) await sender.progress();
    }
    while (sender.unfinished > 0) await sender.progress();
  } finally {
    sender.end();
    signal.removeEventListener('abort', sender.wake);
  }
}

interface Sender {
  add(outgoing: Outgoing): void;
  readonly unfinished: number;
  /** Resolves when something is finished. Throws where it makes no sense to continue. */
  progress(): Promise<void>;
  readonly wake: () => void;
  readonly resume: () => void;
  readonly pause: () => Promise<void>;
  end(): void;
}

/** Keeps as many requests under way as may be. */
function createSender(options: PostOptions): Sender {
  const { poster, inFlight, retries, backoffMs, random, observer, signal } = options;
  const scheduler = createScheduler<Outgoing>();
  const backoffs = createBackoffs();
  let paused = true;
  let underWay = 0;
  let rested = (): void => {};
  let unanswered = 0;
  let last: Answer | null = null;
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
    const { document } = ticket.item;
    ticket.item.attempts++;
    poster.post(`/ed-fi/${document.resource}`, JSON.stringify(document.body), (answer) => {
      underWay--;
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
      backoffs.after(pauseMs(backoffMs, item.attempts, random), () => {
        scheduler.again(ticket);
        fill();
      });
      return;
    }
    if (typeof answer.outcome === 'string') unanswered++;
    last = answer;
    scheduler.done(ticket);
    observer.settled(item, answer, accepted);
    wake();
  };
  return {
    add(outgoing) {
      const { aliasIds, references } = outgoing.description;
      scheduler.add(outgoing, { ids: aliasIds, references: references.map(({ documentId }) => documentId) });
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
      if (unanswered >= MOST_UNANSWERED) throw unreachable(unanswered, last);
    },
    wake: () => wake(),
    resume() {
      paused = false;
      backoffs.resume();
      fill();
    },
    pause() {
      paused = true;
      backoffs.pause();
      return new Promise((resolve) => {
        rested = resolve;
        if (underWay === 0) resolve();
      });
    },
    end() {
      paused = true;
      backoffs.clear();
    },
  };
}

/** Ends when aborted, also while the next document is waited for: the first of a large folder takes its time. */
async function* untilAborted<T>(items: Iterable<T> | AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let give = (): void => {};
  const abort = (): void => give();
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      // Not Promise.race: what it makes of a promise that never settles stays in memory, once for each document.
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        give = () => reject(signal.reason);
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (step.done) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not waited for: a reader in the middle of a file answers only at its end.
    void iterator.return?.();
  }
}

function unreachable(unanswered: number, last: Answer | null): PgsweepError {
  return new PgsweepError(
    'load',
    `the service has not answered ${unanswered} documents in a row, each with all its repeats, lastly by: ${last?.text}`,
    { hint: 'Is the service up, and does it accept this many connections? What it accepted before is loaded.' },
  );
}
