import type { Socket } from 'node:net';
import { AnswerParser } from './answer-parser.ts';
import type { Answered, ConnectionCounts, Failed } from './connection-outcomes.ts';
import { renewAfterMs } from './keep-alive.ts';
import { isRefused, openSocket, readyEvent } from './open-socket.ts';
import type { WireRequest } from './request-text.ts';

/** A service that says that it closes, and does not, is not waited for. */
const LINGER_MS = 1000;

/** The load that the connection is part of. */
export interface ConnectionLoad {
  /** True if another request follows an answer. */
  readonly sending: boolean;
  readonly counts: ConnectionCounts;
  /** The headers of answers that are to be kept, in lower case; none where absent. */
  readonly keptHeaders?: readonly string[];
  /** How much of a body is kept, in bytes, where it is to be. */
  readonly mostBodyBytes?: number;
  next(): WireRequest;
  /** `next` has thrown this: nothing is sent, and the connection does not rest. */
  broken(error: unknown): void;
  /** True if the body of an answer is kept. */
  wantsBody(status: number, name: number): boolean;
  answered(answer: Answered): void;
  failed(failure: Failed): void;
  /** How long the next waits for, in milliseconds, where one has failed after this time; absent where it follows at once. */
  pauseMs?(waitedMs: number): number;
  /** Its last request of the turn is over. */
  rested(connection: Connection): void;
}

/** Why there is no socket: it never was, was closed while idle, broke with a request under way, or said that it closes. */
type Absence = 'new' | 'lost' | 'broken' | 'closing';

/**
 * One connection in closed loop: requests follow each other while its load is sending, and the socket stays open when it is not.
 *
 * The socket is driven here, and not by autocannon's client, since that one cannot be made honest: where a socket ends with a
 * request under way, it sends the next on a new socket and says nothing; it keeps sending on a socket of which HTTP/1.0 says
 * that it closes; it matches answers to requests in order, so that after any of this all later latencies are wrong; it takes
 * "103 Early Hints" for an answer, and waits for the body of an answer to HEAD.
 *
 * Each request ends in exactly one of three ways: a whole answer, a failure (the socket ended, was reset, or what came is no
 * answer), or a timeout. A socket that the service closes while it is idle is no failure. Neither is one that it had closed
 * before the first request of a turn reached it: that request is sent again. That it did not reach it is certain where the socket
 * would not take it, or where the service's side was closed and its system refuses what is sent. A socket that has been idle for
 * nearly as long as the service keeps it is renewed before it is used: the service may close it just when the request arrives.
 *
 * After an answer that says that the service closes the connection (by `Connection: close`, by HTTP/1.0, or by having no
 * length) a new socket is opened, as HTTP clients do. Here a request begins with its connection, so that its latency
 * includes connecting and a closed loop stays busy: Little's law then holds as for connections that stay (measured 0.99
 * to 1.00 with 5 and 25 connections).
 */
export class Connection {
  private socket: Socket | null = null;
  private pause: NodeJS.Timeout | undefined;
  private absence: Absence = 'new';
  /** The request under way. */
  private request: WireRequest | null = null;
  private startMs = 0;
  /** When it was to be sent; null where that is when it is sent. */
  private dueMs: number | null = null;
  /** When its connection was open; when it was sent, where it was open before. */
  private connectedMs = 0;
  /** When the first piece of its answer came; 0 until then, and where that is the whole answer. */
  private firstMs = 0;
  /** Received since it was sent. */
  private bytes = 0;
  /** It is the first since the socket was idle, and is in the system's hands. */
  private afterIdle = false;
  /** The socket has answered before, and waits for a turn. */
  private idle = false;
  private idleSinceMs = 0;
  /** After how long the socket is renewed where it is idle; null until its first answer came. */
  private renewAfterMs: number | null = null;
  private readonly parser: AnswerParser;
  private readonly url: URL;
  private readonly load: ConnectionLoad;

  constructor(url: URL, load: ConnectionLoad) {
    this.url = url;
    this.load = load;
    const { keptHeaders = [], mostBodyBytes } = load;
    this.parser = new AnswerParser({
      wantsBody: (status) => load.wantsBody(status, this.request?.name ?? 0),
      headers: keptHeaders,
      ...(mostBodyBytes !== undefined && { mostBodyBytes }),
    });
  }

  /** Connects, where that does not belong to the first request. Resolves when it is connected, or cannot be. */
  ready(): Promise<void> | null {
    this.renew();
    if (this.socket !== null || this.absence === 'closing') return null;
    const socket = this.open();
    return new Promise((resolve) => {
      socket.once(readyEvent(this.url), () => resolve()).once('close', () => resolve());
    });
  }

  /** Sends the first request of a turn. Its latency counts from `dueMs` (as performance.now() has it) where that is given. */
  begin(dueMs: number | null = null): void {
    this.dueMs = dueMs;
    this.renew();
    const wasIdle = this.idle;
    this.idle = false;
    this.sendNext();
    // What is not wholly written yet may be read in part, and the socket closed then.
    this.afterIdle = wasIdle && this.socket?.writableLength === 0;
  }

  /** For how long the request under way has been, in milliseconds; 0 where there is none. */
  get waitingMs(): number {
    return this.request === null ? 0 : performance.now() - this.startMs;
  }

  /** Gives up the request under way, if there is one. */
  timeOut(): void {
    if (this.request !== null) this.fail('timeouts', 'request timed out');
  }

  /** Ends the pause before it tries again, if there is one. */
  endPause(): void {
    if (this.pause !== undefined) this.goOn();
  }

  /** Cuts off whatever is under way, and tells nobody. */
  destroy(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.request = null;
    this.drop('new');
  }

  private renew(): void {
    const limitMs = this.renewAfterMs ?? Number.POSITIVE_INFINITY;
    if (this.idle && this.socket !== null && performance.now() - this.idleSinceMs >= limitMs) this.drop('lost');
  }

  private goOn(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    if (this.load.sending) {
      this.sendNext();
    } else {
      this.idle = this.socket !== null;
      this.idleSinceMs = performance.now();
      this.load.rested(this);
    }
  }

  /** Called by events of sockets, where an error of the module that makes the requests would end the whole process. */
  private sendNext(): void {
    let request: WireRequest;
    try {
      request = this.load.next();
    } catch (error) {
      this.load.broken(error);
      return;
    }
    this.send(request);
  }

  private send(request: WireRequest): void {
    this.request = request;
    this.bytes = 0;
    this.startMs = this.dueMs ?? performance.now();
    this.connectedMs = this.startMs;
    this.firstMs = 0;
    const socket = this.socket ?? this.open();
    this.parser.expect(request.isHead);
    socket.write(request.bytes);
  }

  private fail(kind: Failed['kind'], message: string): void {
    const { name = 0 } = this.request ?? {};
    const waitedMs = this.waitingMs;
    this.request = null;
    this.drop('broken');
    this.load.failed({ kind, message, name, waitedMs });
    const pauseMs = this.load.pauseMs?.(waitedMs) ?? 0;
    if (pauseMs > 0) this.pause = setTimeout(() => this.goOn(), pauseMs);
    else this.goOn();
  }

  private open(): Socket {
    const socket = openSocket(this.url);
    const replaces = this.absence === 'lost';
    this.socket = socket;
    this.parser.reset();
    this.idle = false;
    this.renewAfterMs = null;
    const { counts } = this.load;
    socket.once('connect', () => {
      counts.opened++;
      if (replaces) counts.reopened++;
    });
    socket.once(readyEvent(this.url), () => {
      if (this.socket === socket && this.request !== null) this.connectedMs = performance.now();
    });
    // A socket that was let go closes by itself.
    const ifMine = (lose: () => void): void => (this.socket === socket ? lose() : void socket.destroy());
    socket.on('data', (chunk: Buffer) => this.socket === socket && this.receive(chunk));
    socket.on('end', () => ifMine(() => this.ended(socket)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ifMine(() => this.lose(error.message, error.syscall === 'write')),
    );
    socket.on('close', () => ifMine(() => this.lose(CLOSED)));
    return socket;
  }

  private receive(chunk: Buffer): void {
    // An answer that nobody asked for, such as 408 ahead of closing an idle connection.
    if (this.request === null) {
      this.lose('');
      return;
    }
    this.afterIdle = false;
    this.renewAfterMs ??= renewAfterMs(chunk);
    this.bytes += chunk.length;
    const parsed = this.parser.execute(chunk);
    if (parsed === 'complete') this.answered(this.request);
    // Most answers come in one piece, and need no second look at the clock.
    else if (parsed === 'more') this.firstMs ||= performance.now();
    else this.lose('what came is not one HTTP answer');
  }

  private answered({ name }: WireRequest): void {
    const { status, keepsAlive, body, headers } = this.parser;
    const doneMs = performance.now();
    const { startMs, connectedMs } = this;
    const times = {
      latencyMs: doneMs - startMs,
      connectMs: connectedMs - startMs,
      waitingMs: (this.firstMs || doneMs) - connectedMs,
    };
    this.request = null;
    if (!keepsAlive) {
      this.load.counts.closingAnswers++;
      this.letGo();
    }
    this.load.answered({ status, bytes: this.bytes, ...times, name, body, headers });
    this.goOn();
  }

  /** The service has closed its side. */
  private ended(socket: Socket): void {
    const { request } = this;
    const isWhole = request !== null && this.bytes > 0 && this.parser.finish();
    if (!isWhole && !this.afterIdle) {
      this.lose(CLOSED);
      return;
    }
    isRefused(socket, (refused) => {
      if (this.socket !== socket || request === null || this.request !== request) return;
      if (isWhole && !refused) {
        this.answered(request);
        socket.destroy();
      } else {
        // Node takes a reset for the end where it comes along with the last bytes.
        this.lose(CLOSED, refused);
      }
    });
  }

  /** The socket is of no more use. */
  private lose(message: string, refused = false): void {
    const { request } = this;
    if (request === null) {
      this.drop(this.idle ? 'lost' : this.absence);
    } else if (this.afterIdle && refused) {
      // The same request on a new connection; its time begins again, where it was not due at some moment.
      this.drop('lost');
      this.send(request);
    } else {
      this.fail('errors', message);
    }
  }

  private drop(absence: Absence): void {
    const { socket } = this;
    this.socket = null;
    this.absence = absence;
    this.idle = false;
    this.afterIdle = false;
    socket?.destroy();
  }

  /** Leaves the closing to the service: who closes first keeps the port for a minute, and the generator needs its ports. */
  private letGo(): void {
    const { socket } = this;
    this.socket = null;
    this.absence = 'closing';
    socket?.setTimeout(LINGER_MS, () => socket.destroy());
  }
}

const CLOSED = 'the connection was closed without a whole answer';
