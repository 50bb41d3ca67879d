import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { messageOf } from '../../base/errors.ts';
import type { Outcome } from './retry.ts';

/** This much of an answer's body is kept, in characters: enough for the service's own words. */
const MESSAGE_MAX = 500;

export interface Answer {
  readonly outcome: Outcome;
  /** From the call of `post` to the end of the answer. */
  readonly latencyUs: number;
  /** Of the answer's body. */
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
  /** Cuts off whatever is under way. */
  close(): Promise<void>;
}

export interface PosterOptions {
  readonly url: string;
  readonly connections: number;
  readonly timeoutMs: number;
}

const headers = { 'content-type': 'application/json' };

export function openPoster({ url, connections, timeoutMs }: PosterOptions): Poster {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections,
    // One request at a time on a connection, as browsers and most clients do it.
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  let connectionsOpened = 0;
  let closed = false;
  pool.on('connect', () => connectionsOpened++);
  return {
    post(path, body, done) {
      const handler = new AnswerHandler((answer) => {
        if (!closed) done(answer);
      });
      pool.dispatch({ method: 'POST', path: prefix + path, headers, body }, handler);
    },
    get connectionsOpened() {
      return connectionsOpened;
    },
    close() {
      closed = true;
      return pool.destroy();
    },
  };
}

/** A class, since of closures there would be five a request. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  private readonly startMs = performance.now();
  private status = 0;
  private location: string | null = null;
  private bytes = 0;
  private text = '';
  private readonly done: (answer: Answer) => void;

  constructor(done: (answer: Answer) => void) {
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
    this.finish('code' in error && /TIMEOUT|ETIMEDOUT/.test(String(error.code)) ? 'timeout' : 'error');
  }

  private finish(outcome: Outcome): void {
    const { bytes, location, text } = this;
    const latencyUs = (performance.now() - this.startMs) * 1000;
    this.done({ outcome, latencyUs, bytes, location, text: text.slice(0, MESSAGE_MAX) });
  }
}
