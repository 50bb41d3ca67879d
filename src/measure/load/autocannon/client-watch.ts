import type { Socket } from 'node:net';
import type { AutocannonClient, AutocannonRequest } from 'autocannon';
import { PgsweepError } from '../../../base/errors.ts';
import type { Failed } from '../connection-outcomes.ts';
import type { RequestSource } from '../request-source.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';

/** An answer that came whole. */
export interface WatchedAnswer {
  readonly status: number;
  readonly bytes: number;
  readonly latencyMs: number;
  readonly name: number;
}

/** Hears what comes of autocannon's requests. */
export interface WatchEars {
  /** Returns whether the body is as expected. */
  answered(answer: WatchedAnswer, body: string): boolean;
  failed(failure: Failed): void;
}

/** A request that is under way. */
interface Waiting {
  readonly sentMs: number;
  name: number;
}

interface WatchedSocket {
  readonly client: AutocannonClient;
  readonly waiting: Waiting[];
  /** An answer has said that the service closes it. */
  isClosing: boolean;
}

/**
 * Gives autocannon the requests of a source, and follows each to its end by the events of autocannon's clients. Autocannon
 * matches answers to requests in order, over all sockets of a client: it keeps sending on a socket that the service is about
 * to close, forgets what was under way there, and all its later latencies are too long. Here each socket has its own order.
 */
export class ClientWatch {
  /** TCP connections that came about. */
  opened = 0;
  /** Answers that said that the service closes the connection. */
  closingAnswers = 0;
  /** Requests that autocannon sent after such an answer, and that the service never had. */
  lost = 0;
  private readonly source: RequestSource;
  private readonly ears: WatchEars;
  private readonly base: string;
  private readonly clients: AutocannonClient[] = [];
  private readonly sockets = new Map<Socket, WatchedSocket>();
  private drawn = 0;
  /** Is to have the name of the request that is drawn next. */
  private nameless: Waiting | null = null;
  private reading: WatchedSocket | undefined;
  private answer: WatchedAnswer | null = null;

  /** `base` comes ahead of the path of each request. */
  constructor(source: RequestSource, ears: WatchEars, base = '') {
    this.source = source;
    this.ears = ears;
    this.base = base;
  }

  /** autocannon's `requests`: one that is built once, or one that is drawn each time. */
  requests(): readonly AutocannonRequest[] {
    const { fixed } = this.source;
    if (fixed === undefined) return [{ setupRequest: (defaults) => Object.assign(defaults, this.draw()) }];
    this.drawn = fixed.name;
    return [asOptions(fixed, this.base)];
  }

  /** autocannon's `setupClient`. */
  readonly setupClient = (client: AutocannonClient): void => {
    this.clients.push(client);
    let isFirst = true;
    client.on('request', () => {
      const request = { sentMs: performance.now(), name: this.drawn };
      this.socketOf(client).waiting.push(request);
      // A client's first request is drawn before there is the client, all others right after this event.
      if (!isFirst) this.nameless = request;
      isFirst = false;
    });
    client.on('headers', ({ shouldKeepAlive }) => {
      if (shouldKeepAlive || this.reading === undefined) return;
      this.closingAnswers++;
      this.reading.isClosing = true;
    });
    client.on('response', (status, bytes) => {
      // It takes "103 Early Hints" for an answer.
      const request = status < 200 ? undefined : this.reading?.waiting.shift();
      if (request === undefined) return;
      this.answer = { status, bytes, latencyMs: performance.now() - request.sentMs, name: request.name };
    });
    client.on('timeout', () => {
      for (const [socket, watched] of this.sockets)
        if (watched.client === client && socket.destroyed)
          this.fail(watched, 'timeouts', 'there was no answer in time');
    });
  };

  /** autocannon's `verifyBody`. */
  readonly verifyBody = (body: string): boolean => {
    const { answer } = this;
    this.answer = null;
    return answer === null || this.ears.answered(answer, body);
  };

  /** Requests that were under way at the end: neither answered nor failed. */
  end(): number {
    const cutOff = [...this.sockets.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
    this.sockets.clear();
    return cutOff;
  }

  /** Ends the load at once. */
  destroy(): void {
    this.sockets.clear();
    for (const client of this.clients) client.destroy();
  }

  private draw(): AutocannonRequest {
    const request = this.source.next();
    if (request.method === 'HEAD')
      throw new PgsweepError('load', 'autocannon cannot send HEAD: it waits for a body that never comes', {
        hint: 'Leave out load.autocannon, or such requests.',
      });
    this.drawn = request.name;
    if (this.nameless !== null) this.nameless.name = request.name;
    this.nameless = null;
    return asOptions(request, this.base);
  }

  private socketOf(client: AutocannonClient): WatchedSocket {
    const socket = client.conn;
    const known = this.sockets.get(socket);
    if (known !== undefined) return known;
    const watched = { client, waiting: [], isClosing: false };
    this.sockets.set(socket, watched);
    socket.once('connect', () => void this.opened++);
    // Ahead of autocannon's own listener, which reads the answers.
    socket.prependListener('data', () => {
      this.reading = watched;
    });
    socket.once('close', () => {
      // What is left at the end of a run is counted there.
      if (client.destroyed || !this.sockets.delete(socket)) return;
      if (watched.isClosing) this.lost += watched.waiting.splice(0).length;
      else this.fail(watched, 'errors', socket.errored?.message ?? 'the service closed the connection');
    });
    return watched;
  }

  private fail({ waiting }: WatchedSocket, kind: Failed['kind'], message: string): void {
    const nowMs = performance.now();
    for (const { name, sentMs } of waiting.splice(0))
      this.ears.failed({ kind, message, name, waitedMs: nowMs - sentMs });
  }
}

/** Headers that autocannon writes by itself. */
const own = new Set(['connection', 'content-length']);

function asOptions({ method, path, headers = {}, body }: GeneratedRequest, base: string): AutocannonRequest {
  const others = Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase()));
  return { method, path: base + path, headers: Object.fromEntries(others), ...(body !== undefined && { body }) };
}
