import { Connection, type ConnectionLoad } from '../connection.ts';
import type { Answered, ConnectionCounts, Failed } from '../connection-outcomes.ts';
import { connectAll, watchTimeouts } from '../connections.ts';
import type { BulkJob } from '../load-generator.ts';
import { requestWriter, type WireRequest } from '../request-text.ts';
import { toGenerated } from '../requests/generated-request.ts';
import type { WorkloadRequest } from '../workload-module.ts';
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

/** Sends requests over a fixed number of connections. */
export interface Poster {
  /** Opens the connections that are not open. Resolves when each is, or cannot be, and after 1 s at the latest. */
  connect(): Promise<void>;
  /** Calls back once, whatever happens, unless the poster is closed before. */
  post(request: WorkloadRequest, done: (answer: Answer) => void): void;
  readonly counts: Readonly<ConnectionCounts>;
  /** Cuts off whatever is under way. */
  close(): void;
}

export interface PosterOptions extends Pick<BulkJob, 'url' | 'urls' | 'timeoutMs'> {
  readonly connections: number;
}

/**
 * Posts over connections of the load generator, one request at a time on each, as browsers and most clients do it, and
 * so with its rules of what has failed. undici's client sends a request again by itself after its connection was idle,
 * and says nothing.
 */
export function openPoster({ url: address, urls, connections, timeoutMs }: PosterOptions): Poster {
  const url = new URL(address);
  const instances = (urls ?? [address]).map((one) => new URL(one));
  const write = requestWriter(url);
  const counts: ConnectionCounts = { opened: 0, reopened: 0, closingAnswers: 0 };
  // One of the two is empty at any time, but for what is posted while an answer is reported.
  const queue: Post[] = [];
  const free: Connection[] = [];
  const all = Array.from({ length: connections }, (_, number) => {
    const load = loadOf(queue, counts, () => free.push(connection));
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
    post(request, done) {
      if (closed) return;
      const startMs = performance.now();
      const sent = toGenerated(request, { method: 'POST', name: 0 });
      queue.push({ request: write(sent), startMs, done });
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
function loadOf(queue: Post[], counts: ConnectionCounts, rested: () => void): ConnectionLoad {
  let post: Post | undefined;
  const tell = (answer: Omit<Answer, 'latencyUs'>): void => {
    const { startMs = 0, done } = post ?? {};
    post = undefined;
    done?.({ ...answer, text: answer.text.slice(0, MESSAGE_MAX), latencyUs: (performance.now() - startMs) * 1000 });
  };
  return {
    keptHeaders: ['location'],
    counts,
    rested,
    get sending() {
      return queue.length > 0;
    },
    next() {
      post = queue.shift();
      if (post === undefined) throw new RangeError('a connection sends only what is posted');
      return post.request;
    },
    broken(error) {
      throw error;
    },
    wantsBody: () => true,
    answered: ({ status, bytes, headers: [location], body }: Answered) =>
      tell({ outcome: status, bytes, location: location?.[1] || null, text: body }),
    failed: ({ kind, message }: Failed) =>
      tell({ outcome: kind === 'timeouts' ? 'timeout' : 'error', bytes: 0, location: null, text: message }),
  };
}
