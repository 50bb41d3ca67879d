/** The part of autocannon that is used here; the package has no types. */
declare module 'autocannon' {
  export interface AutocannonRequest {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Makes each request from these defaults. */
    readonly setupRequest?: (defaults: AutocannonRequest) => AutocannonRequest;
  }

  export interface AutocannonOptions {
    readonly title: string;
    readonly url: readonly string[];
    readonly connections: number;
    readonly pipelining: number;
    /** In seconds; it ends at the next sample. */
    readonly duration: number;
    /** Time between samples, in ms. */
    readonly sampleInt: number;
    /** In seconds. */
    readonly timeout: number;
    readonly requests: readonly AutocannonRequest[];
    readonly setupClient: (client: AutocannonClient) => void;
    /** Called right after each `response` event, with its body. */
    readonly verifyBody: (body: string) => boolean;
  }

  /** One connection: a socket, and the next one where that has ended. */
  export interface AutocannonClient {
    /** The socket that requests are written to. */
    readonly conn: import('node:net').Socket;
    readonly destroyed: boolean;
    on(event: 'request' | 'timeout', listener: () => void): void;
    on(event: 'headers', listener: (head: { readonly shouldKeepAlive: boolean }) => void): void;
    on(event: 'response', listener: (status: number, bytes: number) => void): void;
    destroy(): void;
  }

  /** Content of `autocannon --json`, as far as it is read here. */
  export interface AutocannonResult {
    readonly requests: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }

  export interface AutocannonRun extends PromiseLike<AutocannonResult> {
    /** Ends it at the next sample; absent where it has not begun. */
    stop?(): void;
  }

  export default function autocannon(options: AutocannonOptions): AutocannonRun;
}
