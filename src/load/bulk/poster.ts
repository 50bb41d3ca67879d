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
      const handler = answerHandler((answer) => {
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

function answerHandler(done: (answer: Answer) => void): Dispatcher.DispatchHandler {
  const start = performance.now();
  let status = 0;
  let location: string | null = null;
  let bytes = 0;
  let text = '';
  const finish = (outcome: Outcome): void =>
    done({ outcome, latencyUs: (performance.now() - start) * 1000, bytes, location, text: text.slice(0, MESSAGE_MAX) });
  return {
    onRequestStart() {},
    onResponseStart(_controller, statusCode, responseHeaders) {
      status = statusCode;
      location = [responseHeaders.location ?? null].flat()[0] ?? null;
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.length;
      if (text.length < MESSAGE_MAX) text += chunk.toString('utf8');
    },
    onResponseEnd: () => finish(status),
    onResponseError(_controller, error) {
      text = messageOf(error);
      finish('code' in error && /TIMEOUT|ETIMEDOUT/.test(String(error.code)) ? 'timeout' : 'error');
    },
  };
}
