import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
// Its client, and not autocannon itself, whose runs end by themselves, sample all the time and cannot pause.
// package.json holds its minor version fast, since these are its insides.
import Client from 'autocannon/lib/httpClient.js';

/** A service that says that it closes, and does not, is not waited for. */
const LINGER_MS = 1000;
/** autocannon moves a timer with each request; here one timer watches all connections of a stream. */
const NO_TICKER = { reschedule: () => {}, clear: () => {} };

/** autocannon hands each connection a context of its own; it says which request is under way. */
export interface RequestContext {
  name?: number;
}

/** Of all connections of one stream. */
export interface ConnectionCounts {
  /** TCP connections that came about. */
  opened: number;
  /** Those of them that took the place of one that the service had closed while it was idle. */
  reopened: number;
  /** Answers that said that the service closes the connection. */
  closingAnswers: number;
}

/** The load that the connection is part of. */
export interface ConnectionLoad {
  /** Whether another request is to follow an answer. */
  readonly sending: boolean;
  readonly counts: ConnectionCounts;
  answered(status: number, bytes: number, latencyMs: number, name: number): void;
  failed(kind: 'errors' | 'timeouts', message: string, name: number): void;
  /** Its last request of the turn is over. */
  rested(): void;
}

/** Why there is no socket: it never was, was closed while idle, broke with a request under way, or said that it closes. */
type Absence = 'new' | 'lost' | 'broken' | 'closing';

/**
 * One connection in closed loop, which can pause: requests follow each other while its load is sending, and the socket
 * stays open when it is not. autocannon's client builds the requests, parses and times the answers; sockets are ours:
 *
 * A socket that ends with a request under way is a failed request. autocannon sends the next request on a new socket
 * and says nothing; since it matches answers to requests in turn, all later latencies are then wrong.
 *
 * A socket that the service closes while it is idle is no failure, and neither is one that it was just closing when the
 * first request after the pause was written: no byte of an answer came, and the request is sent again, once.
 *
 * After an answer that says `Connection: close` a new socket is opened, as HTTP clients do. Here a request begins with
 * its connection, so that its latency includes connecting and a closed loop stays busy: Little's law then holds as for
 * connections that stay (measured 0.99 to 1.00 with 5 and 25 connections).
 */
export class Connection {
  private readonly client: Client;
  private readonly write: () => void;
  private socket: Socket | null = null;
  private absence: Absence = 'new';
  /** The last answer said that the service closes the connection. */
  private closing = false;
  private underWay = false;
  /** The request under way is the first since the socket was idle. */
  private afterIdle = false;
  /** The socket has answered before, and waits for a turn. */
  private idle = false;
  private readonly url: URL;
  private readonly load: ConnectionLoad;

  /** `request` is one of autocannon's, or has a `setupRequest` that makes one anew each time. */
  constructor(url: URL, request: object, load: ConnectionLoad) {
    this.url = url;
    this.load = load;
    this.client = new Client({
      protocol: url.protocol,
      hostname: hostOf(url),
      host: url.host,
      ...(url.port !== '' && { port: Number(url.port) }),
      ...(url.username !== '' && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
      requests: [request],
      setupClient: (client) => {
        // The last thing that its constructor does.
        client._connect = () => {};
      },
    });
    this.client.timeoutTicker.clear();
    this.client.timeoutTicker = NO_TICKER;
    this.write = this.client._doRequest;
    this.client._doRequest = () => this.next();
    this.client.on('headers', ({ shouldKeepAlive }: { readonly shouldKeepAlive: boolean }) => {
      this.closing = !shouldKeepAlive;
    });
    this.client.on('response', (status: number, bytes: number, latencyMs: number) => {
      load.answered(status, bytes, latencyMs, this.name);
    });
  }

  /** Connects, where that does not belong to the first request. Resolves when it is connected, or cannot be. */
  ready(): Promise<void> | null {
    if (this.socket !== null || this.absence === 'closing') return null;
    const socket = this.open();
    return new Promise((resolve) => {
      socket.once(this.readyEvent, () => resolve()).once('close', () => resolve());
    });
  }

  /** Sends the first request of a turn. */
  begin(): void {
    this.send();
    this.afterIdle = this.idle;
    this.idle = false;
  }

  /** For how long the request under way has been, in milliseconds; 0 where there is none. */
  get waitingMs(): number {
    const pending = this.underWay && this.client.pipelinedRequests.peek();
    if (!pending) return 0;
    const [seconds, nanoseconds] = process.hrtime(pending.startTime);
    return seconds * 1000 + nanoseconds / 1e6;
  }

  /** Gives up the request under way, if there is one. */
  timeOut(): void {
    if (this.underWay) this.fail('timeouts', 'request timed out');
  }

  /** Cuts off whatever is under way, and tells nobody. */
  destroy(): void {
    this.underWay = false;
    this.drop('new');
  }

  /** After each answer. */
  private next(): void {
    this.underWay = false;
    this.afterIdle = false;
    if (this.closing) {
      this.load.counts.closingAnswers++;
      this.letGo();
    }
    this.goOn();
  }

  private goOn(): void {
    if (this.load.sending) {
      this.send();
    } else {
      this.idle = this.socket !== null;
      this.load.rested();
    }
  }

  private send(): void {
    if (this.socket === null) this.open();
    this.underWay = true;
    this.write.call(this.client);
  }

  /** The same request on a new connection; its time begins anew. */
  private sendAgain(): void {
    this.afterIdle = false;
    this.drop('lost');
    const socket = this.open();
    this.client.pipelinedRequests.insertRequest(this.client.requestIterator.currentRequest);
    socket.write(this.client.getRequestBuffer());
  }

  private fail(kind: 'errors' | 'timeouts', message: string): void {
    const { name } = this;
    this.underWay = false;
    this.afterIdle = false;
    this.drop('broken');
    this.load.failed(kind, message, name);
    this.goOn();
  }

  private get name(): number {
    return (this.client.requestIterator.context as RequestContext).name ?? 0;
  }

  private get readyEvent(): 'connect' | 'secureConnect' {
    return this.url.protocol === 'https:' ? 'secureConnect' : 'connect';
  }

  private open(): Socket {
    const socket = openSocket(this.url);
    const replaces = this.absence === 'lost';
    this.socket = socket;
    this.client.conn = socket;
    this.client.parser.reinitialize(this.client.parser.type);
    this.closing = false;
    this.idle = false;
    const { counts } = this.load;
    socket.once('connect', () => {
      counts.opened++;
      if (replaces) counts.reopened++;
    });
    // A socket that was let go closes by itself.
    const ifMine = (lose: () => void): void => (this.socket === socket ? lose() : void socket.destroy());
    socket.on('data', (chunk: Buffer) => this.socket === socket && this.receive(chunk));
    socket.on('end', () => ifMine(() => this.ended()));
    socket.on('error', (error) => ifMine(() => this.lose(error.message)));
    socket.on('close', () => ifMine(() => this.lose('the connection was closed without an answer')));
    return socket;
  }

  private receive(chunk: Buffer): void {
    // An answer that nobody asked for, such as 408 ahead of closing an idle connection.
    if (this.underWay) this.client.pipelinedRequests.addByteCount(chunk.length);
    if (!this.underWay) this.lose('');
    else if (typeof this.client.parser.execute(chunk) !== 'number') this.lose('the answer is not HTTP');
  }

  private ended(): void {
    // An answer without a length ends with its connection.
    if (this.underWay && this.client.parser.state === 'BODY_RAW') this.client.parser.finish();
    else this.lose('the connection was closed without an answer');
  }

  /** The socket is of no more use. */
  private lose(message: string): void {
    const isUnheard = this.client.pipelinedRequests.peek()?.bytes === 0;
    if (!this.underWay) this.drop(this.idle ? 'lost' : this.absence);
    else if (this.afterIdle && isUnheard) this.sendAgain();
    else this.fail('errors', message);
  }

  private drop(absence: Absence): void {
    const { socket } = this;
    this.socket = null;
    this.absence = absence;
    this.idle = false;
    this.client.pipelinedRequests.clear();
    socket?.destroy();
  }

  /** Leaves the closing to the service: who closes first keeps the port for a minute, and the generator needs its ports. */
  private letGo(): void {
    const { socket } = this;
    this.socket = null;
    this.absence = 'closing';
    this.closing = false;
    socket?.setTimeout(LINGER_MS, () => socket.destroy());
  }
}

function openSocket(url: URL): Socket {
  const host = hostOf(url);
  if (url.protocol !== 'https:') return connectTcp(Number(url.port || 80), host);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port: Number(url.port || 443), rejectUnauthorized: false, ...servername });
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
