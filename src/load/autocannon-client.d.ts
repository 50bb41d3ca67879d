/** The part of autocannon's client that is used here. Its own types leave it out. */
declare module 'autocannon/lib/httpClient.js' {
  import type { EventEmitter } from 'node:events';

  interface ClientOptions {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number;
    readonly host: string;
    readonly auth?: string;
    readonly requests: readonly object[];
    setupClient(client: Client): void;
  }

  /** Builds requests, parses answers and times them, one after the other over `conn`. */
  class Client extends EventEmitter {
    constructor(options: ClientOptions);
    conn: import('node:net').Socket;
    parser: {
      readonly type: unknown;
      readonly state: string;
      execute(chunk: Buffer): number | Error;
      finish(): void;
      reinitialize(type: unknown): void;
    };
    /** What was sent and not answered, with the time at which it was sent. */
    pipelinedRequests: {
      peek(): { readonly bytes: number; readonly startTime: [seconds: number, nanoseconds: number] } | undefined;
      addByteCount(bytes: number): void;
      insertRequest(request: object): void;
      clear(): void;
    };
    requestIterator: { readonly currentRequest: object; readonly context: object };
    timeoutTicker: { reschedule(timeoutMs: number): void; clear(): void };
    getRequestBuffer(): Buffer;
    _connect(): void;
    _doRequest(): void;
  }
  export default Client;
}
