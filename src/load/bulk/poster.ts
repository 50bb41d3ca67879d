import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { messageOf } from '../../base/errors.ts';
import type { Outcome } from './retry.ts';

/** This much of an answer's body is kept, in characters: enough for the service's own words. */
const MESSAGE_MAX = 500;
/** Services close connections that were idle for longer. */
const IDLE_MS = 20;
/** The error codes of a socket that the other side has closed. */
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export interface Answer {
  readonly outcome: Outcome;
  /** From the call of `post` to the end of the answer. */
  readonly latencyUs: number;
  /** The length of the answer's body. */
  readonly bytes: number;
  /** Where the service says that the document is. */
  readonly location: string | null;
  /** The beginning of the answer's body, or what went wrong. */
  readonly text: string;
}

/** Sends bodies over a fixed number of connections. */
export interface Poster {
  /** Calls back once, whatever happens, unless the poster is closed before. */
  post(path: string, body: string, done: (answer: Answer) => void): void;
  /** TCP connections that came about, those in place of broken ones included. */
  readonly connectionsOpened: number;
  /** Those of them in place of one that the service had closed while it was idle. */
  readonly reopened: number;
  /** Cuts off whatever is under way. */
  close(): Promise<void>;
}

export interface PosterOptions {
  readonly url: string;
  readonly connections: number;
  readonly timeoutMs: number;
}

const headers = { 'content-type': 'application/json' };

/**
 * Connections are undici's clients and not its pool, which does not say over which of them a request goes: a connection
 * that the service was just closing, since nothing had come over it for a while, is no failure. The request is sent
 * again on a new one.
 */
export function openPoster(options: PosterOptions): Poster {
  const prefix = new URL(options.url).pathname.replace(/\/$/, '');
  const counts: Counts = { opened: 0, reopened: 0 };
  const all = Array.from({ length: options.connections }, () => new PostConnection(options, counts));
  // The last that was free goes first.
  const free = [...all].reverse();
  const queue: Request[] = [];
  let closed = false;
  const send = (connection: PostConnection, { path, body, done, startMs }: Request): void => {
    connection.post(path, body, (outcome) => {
      if (closed) return;
      const next = queue.shift();
      if (next === undefined) free.push(connection);
      else send(connection, next);
      done({ ...outcome, latencyUs: (performance.now() - startMs) * 1000 });
    });
  };
  return {
    post(path, body, done) {
      const request = { path: prefix + path, body, done, startMs: performance.now() };
      const connection = free.pop();
      if (connection === undefined) queue.push(request);
      else send(connection, request);
    },
    get connectionsOpened() {
      return counts.opened;
    },
    get reopened() {
      return counts.reopened;
    },
    async close() {
      closed = true;
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}

interface Request {
  readonly path: string;
  readonly body: string;
  readonly done: (answer: Answer) => void;
  readonly startMs: number;
}

interface Counts {
  opened: number;
  reopened: number;
}

type Ending = Omit<Answer, 'latencyUs'>;

class PostConnection {
  private readonly client: Client;
  private underWay = false;
  /** Whether nothing had come over the connection for a while when the request under way was sent. */
  private beganIdle = false;
  /** Why there is no socket any more. */
  private lostBy: 'idling' | 'request' | null = null;
  private lastMs = Number.POSITIVE_INFINITY;

  constructor({ url, timeoutMs }: PosterOptions, counts: Counts) {
    this.client = new Client(new URL(url).origin, {
      // One request at a time on a connection, as browsers and most clients do it.
      pipelining: 1,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    this.client.on('connect', () => {
      counts.opened++;
      if (this.lostBy === 'idling') counts.reopened++;
      this.lostBy = null;
    });
    this.client.on('disconnect', () => {
      // A request may be waiting already for the place of a connection that closed while it was idle.
      const wasIdle = this.underWay ? this.beganIdle : this.wasIdle();
      this.lostBy ??= wasIdle ? 'idling' : 'request';
    });
  }

  post(path: string, body: string, done: (ending: Ending) => void): void {
    const wasIdle = this.wasIdle();
    this.beganIdle = wasIdle;
    this.underWay = true;
    const handler = new AnswerHandler((ending, broken) => {
      this.underWay = false;
      this.lastMs = performance.now();
      if (typeof ending.outcome === 'number') return done(ending);
      const isAgain = wasIdle && broken;
      this.lostBy ??= isAgain ? 'idling' : 'request';
      // undici takes no request in the middle of reporting that another has failed.
      queueMicrotask(() => (isAgain ? this.post(path, body, done) : done(ending)));
    });
    this.client.dispatch({ method: 'POST', path, headers, body }, handler);
  }

  private wasIdle(): boolean {
    return performance.now() - this.lastMs > IDLE_MS;
  }

  close(): Promise<void> {
    return this.client.destroy();
  }
}

/** A class, since of closures there would be five a request. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  private status = 0;
  private location: string | null = null;
  private bytes = 0;
  private text = '';
  private readonly done: (ending: Ending, broken: boolean) => void;

  /** Broken: the connection ended before an answer began. */
  constructor(done: (ending: Ending, broken: boolean) => void) {
    this.done = done;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, { location }: IncomingHttpHeaders): void {
    this.status = status;
    this.location = location ?? null;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.text.length < MESSAGE_MAX) this.text += chunk.toString('utf8');
  }

  onResponseEnd(): void {
    this.finish(this.status);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.text = messageOf(error);
    const code = 'code' in error ? String(error.code) : '';
    this.finish(/TIMEOUT|ETIMEDOUT/.test(code) ? 'timeout' : 'error', this.status === 0 && BROKEN.has(code));
  }

  private finish(outcome: Outcome, broken = false): void {
    const { bytes, location, text } = this;
    this.done({ outcome, bytes, location, text: text.slice(0, MESSAGE_MAX) }, broken);
  }
}
