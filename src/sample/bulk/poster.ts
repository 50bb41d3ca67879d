import { Connection, type ConnectionLoad } from '../../measure/load/connection.ts';
import type { Answered, ConnectionCounts, Failed } from '../../measure/load/connection-outcomes.ts';
import { connectAll, watchTimeouts } from '../../measure/load/connections.ts';
import type { BulkJob } from '../../measure/load/load-generator.ts';
import { requestWriter, type WireRequest } from '../../measure/load/request-text.ts';
import type { Outcome } from './retry.ts';

/** This much of an answer's body is kept, in characters: enough for the service's own words. */
const MESSAGE_MAX = 500;

export interface Answer {
  readonly outcome: Outcome;
  /** From the call of `post` to the end of the answer. */
  readonly latencyUs: number;
  /** Received for it, headers included. */
  readonly bytes: number;
  /** Where the service says that the document is. */
  readonly location: string | null;
  /** The beginning of the answer's body, or what went wrong. */
  readonly text: string;
}

/** Sends bodies over a fixed number of connections. */
export interface Poster {
  /** Opens the connections that are not open. Resolves when each is, or cannot be, and after 1 s at the latest. */
  connect(): Promise<void>;
  /** Calls back once, whatever happens, unless the poster is closed before. */
  post(path: string, body: string, done: (answer: Answer) => void): void;
  readonly counts: Readonly<ConnectionCounts>;
  /** Cuts off whatever is under way. */
  close(): void;
}

export interface PosterOptions extends Pick<BulkJob, 'url' | 'urls'> {
  readonly connections: number;
  readonly timeoutMs: number;
}

const headers = { 'content-type': 'application/json' };

/**
 * Posts over connections of the load generator, one request at a time on each, as browsers and most clients do it, and
 * so with its rules of what has failed. undici's client sends a request again by itself after its connection was idle,
 * and says nothing.
 */
export function openPoster({ url: address, urls, connections, timeoutMs }: PosterOptions): Poster {
  const url = new URL(address);
  const instances = (urls ?? [address]).map((one) => new URL(one));
  const prefix = url.pathname.replace(/\/$/, '');
  const write = requestWriter(url);
  const counts: ConnectionCounts = { opened: 0, reopened: 0, closingAnswers: 0 };
  // One of the two is empty at any time, but for what is posted while an answer is reported.
  const queue: Post[] = [];
  const free: Connection[] = [];
  const all = Array.from({ length: connections }, (_, number) => {
    const load = new PostLoad(queue, counts, () => free.push(connection));
    const connection: Connection = new Connection(instances[number % instances.length] ?? url, load);
    return connection;
  });
  // The last that was free goes first.
  free.push(...[...all].reverse());
  const unwatch = watchTimeouts(all, timeoutMs);
  let closed = false;
  const cutOff = (): void => {
    for (const connection of all) connection.destroy();
  };
  return {
    async connect() {
      await connectAll(all);
      // In the meantime.
      if (closed) cutOff();
    },
    post(path, body, done) {
      if (closed) return;
      const startMs = performance.now();
      queue.push({ request: write({ method: 'POST', path: prefix + path, headers, body, name: 0 }), startMs, done });
      free.pop()?.begin();
    },
    counts,
    close() {
      closed = true;
      unwatch();
      queue.length = 0;
      cutOff();
    },
  };
}

interface Post {
  readonly request: WireRequest;
  readonly startMs: number;
  readonly done: (answer: Answer) => void;
}

/** Load of one connection: the next request of the queue. */
class PostLoad implements ConnectionLoad {
  readonly keptHeaders = ['location'];
  readonly counts: ConnectionCounts;
  readonly rested: () => void;
  private readonly queue: Post[];
  private post: Post | null = null;

  constructor(queue: Post[], counts: ConnectionCounts, rested: () => void) {
    this.queue = queue;
    this.counts = counts;
    this.rested = rested;
  }

  get sending(): boolean {
    return this.queue.length > 0;
  }

  next(): WireRequest {
    const post = this.queue.shift();
    if (post === undefined) throw new RangeError('a connection sends only what is posted');
    this.post = post;
    return post.request;
  }

  wantsBody(): boolean {
    return true;
  }

  answered({ status, bytes, headers: [location], body }: Answered): void {
    this.tell({ outcome: status, bytes, location: location?.[1] || null, text: body });
  }

  failed({ kind, message }: Failed): void {
    this.tell({ outcome: kind === 'timeouts' ? 'timeout' : 'error', bytes: 0, location: null, text: message });
  }

  private tell(answer: Omit<Answer, 'latencyUs'>): void {
    const { post } = this;
    this.post = null;
    const latencyUs = (performance.now() - (post?.startMs ?? 0)) * 1000;
    post?.done({ ...answer, text: answer.text.slice(0, MESSAGE_MAX), latencyUs });
  }
}
