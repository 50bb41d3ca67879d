import type { Socket } from 'node:net';

/** A service that says that it closes, and does not, is not waited for. */
const LINGER_MS = 1000;

/** What is used of autocannon's client beyond its documented events. */
export interface Connection {
  conn: Socket;
  _connect(): void;
  _doRequest(): void;
  on(event: 'headers', hear: (head: { readonly shouldKeepAlive: boolean }) => void): unknown;
  responseMax?: number;
  reqsMade: number;
  requestIterator: { context: RequestContext };
}

/** autocannon hands each connection a context of its own; it says which request is under way. */
export interface RequestContext {
  name?: number;
}

/** Of all connections of one stretch of load. */
export interface ConnectionCounts {
  /** TCP connections that came about. */
  opened: number;
  /** Answers that said that the service closes the connection. */
  closingAnswers: number;
}

/**
 * Counts connections, and opens a new one after an answer that says `Connection: close`, as HTTP clients do. autocannon
 * itself sends the next request into the connection that is closing, and one more into the next: every second request of
 * the sequence is lost, and since it matches answers to requests in turn, latencies grow without end (measured: a mean
 * of 0.5 s for a service that answers in 5 ms). Here a request begins with its connection, so that its latency includes
 * connecting and a closed loop stays busy. Little's law then holds as for connections that stay: measured 0.99 to 1.00
 * with 5 and 25 connections. What is left out is the making of the socket, a moment of the generator's own.
 */
export function keepConnected(client: Connection, counts: ConnectionCounts): void {
  const connect = client._connect;
  const request = client._doRequest;
  let closing = false;
  client.on('headers', ({ shouldKeepAlive }) => {
    closing = !shouldKeepAlive;
  });
  // A connection that ends without an answer is opened anew and its request sent again, of which autocannon says nothing.
  client._connect = () => {
    closing = false;
    connect.call(client);
    client.conn.once('connect', () => counts.opened++);
  };
  client._doRequest = () => {
    // 0 is no limit.
    const wasLast = !!client.responseMax && client.reqsMade >= client.responseMax;
    if (closing) counts.closingAnswers++;
    if (!closing || wasLast) return request.call(client);
    letGo(client.conn);
    client._connect();
  };
}

/** Leaves the closing to the service: who closes first keeps the port for a minute, and the generator needs its ports. */
function letGo(connection: Socket): void {
  for (const event of ['data', 'end', 'error']) connection.removeAllListeners(event);
  const destroy = (): void => void connection.destroy();
  connection.on('error', destroy).on('end', destroy).setTimeout(LINGER_MS, destroy).resume();
}
