import { timeLimit } from '../../../base/async/time-limit.ts';
import type { BuiltInWorkload } from '../../../journal/sample.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import { firstRequestOf } from '../bulk/requests-of.ts';
import { expectsStatus, type RequestSource } from '../request-source.ts';
import type { BodyCheck } from '../requests/body-check.ts';
import { type GeneratedRequest, toGenerated } from '../requests/generated-request.ts';
import type { Script } from '../script/session.ts';
import { MOST_BODY_BYTES } from '../script/user-load.ts';
import { exchange, redirectOf } from './exchange.ts';
import type { TriedRequest } from './tried-request.ts';

/** Limit of the text of an answer that is shown, in characters. */
const MOST_TEXT = 2000;
/** A workload of a user's own names its requests as it makes them: this many are looked at. */
const MOST_DRAWN = 200;

/** Requests to be sent to a service that nobody measures. */
export interface RequestTrial {
  readonly url: string;
  /** Token that `target.login` fetched; absent without it. */
  readonly token?: string;
  /** Null is the scenario's own. */
  readonly workloads: readonly (BuiltInWorkload | null)[];
  /** Set where a data set is posted: its first request is tried. */
  readonly bulk?: BulkSpec['dataset'];
  readonly seed: number;
  /** How many of a kind may fail, one after the other, before the kind has. */
  readonly tries: number;
  /** For each of them. */
  readonly limitMs: number;
  /** Set where nothing may be written: this many reads are sent at once, and no other request. */
  readonly reads?: number;
}

/** Methods that write nothing. */
const READS = ['GET', 'HEAD'];

/** Sends this many of the first read of the sources at once; none where a script begins with another request. */
export async function tryReads(
  { url, reads = 1, limitMs }: RequestTrial,
  sources: readonly RequestSource[],
  signal: AbortSignal,
): Promise<readonly TriedRequest[]> {
  const drawn = sources.map((source) => (source.script ? [firstStep(source.script, reads)] : drawKinds(source, reads)));
  const kind = drawn.flat().find(({ requests: [first] }) => first !== undefined && READS.includes(first.method));
  const [first] = kind?.requests ?? [];
  if (kind === undefined || first === undefined) return [];
  const tried = Array.from({ length: reads }, async (_, index) => {
    const request = kind.requests[index % kind.requests.length] ?? first;
    const sent = await send(request, kind, url, timeLimit(limitMs, signal));
    return { name: kind.name, method: request.method, path: request.path, expected: kind.expected, sent: 1, ...sent };
  });
  const all = await Promise.all(tried);
  signal.throwIfAborted();
  return all;
}

function firstStep({ openSession, names, expected, checks }: Script, count: number): Kind {
  const requests = Array.from({ length: count }, (_, user) => openSession(user).next());
  const step = requests[0]?.name ?? 0;
  return { requests, name: names[step] ?? '', expected: expected[step] ?? null, check: checks?.[step] };
}

/** Sends one request of each kind of the sources, all kinds at once; of a kind that fails, a few more. */
export async function tryRequests(
  { url, bulk, tries, limitMs, seed, token }: RequestTrial,
  sources: readonly RequestSource[],
  signal: AbortSignal,
): Promise<readonly TriedRequest[]> {
  const posted = bulk === undefined ? [] : [await firstOfBulk(bulk, { seed, token })];
  const kinds = [...posted, ...sources.flatMap((source) => (source.script ? [] : drawKinds(source, tries)))];
  const over = (): AbortSignal => timeLimit(limitMs, signal);
  const tried = await Promise.all([
    ...kinds.map(async (kind) => [await tryKind(kind, url, over)]),
    ...sources.flatMap(({ script }) => (script ? [tryScript(script, url, over)] : [])),
  ]);
  signal.throwIfAborted();
  return tried.flat();
}

interface Kind {
  readonly name: string;
  readonly expected: readonly number[] | null;
  readonly check?: BodyCheck | undefined;
  readonly requests: GeneratedRequest[];
}

async function firstOfBulk(dataset: BulkSpec['dataset'], asker: Parameters<typeof firstRequestOf>[1]): Promise<Kind> {
  return {
    name: 'document',
    expected: null,
    requests: [toGenerated(await firstRequestOf(dataset, asker), { method: 'POST', name: 0 })],
  };
}

/** At most this many requests of each kind that the source makes. */
function drawKinds(source: RequestSource, most: number): Kind[] {
  const kinds = new Map<number, Kind>();
  for (let drawn = 0; drawn < MOST_DRAWN; drawn++) {
    const request = source.next();
    const { name } = request;
    const kind = kinds.get(name) ?? {
      name: source.names[name] ?? `${request.method} ${request.path}`,
      expected: source.expected?.[name] ?? null,
      check: source.checks?.[name],
      requests: [],
    };
    kinds.set(name, kind);
    if (kind.requests.length < most) kind.requests.push(request);
  }
  return [...kinds].sort(([a], [b]) => a - b).map(([, kind]) => kind);
}

async function tryKind(kind: Kind, url: string, over: () => AbortSignal): Promise<TriedRequest> {
  const { name, expected, requests } = kind;
  let tried: TriedRequest | null = null;
  for (const [index, request] of requests.entries()) {
    const { method, path } = request;
    const { outcome, ...took } = await send(request, kind, url, over());
    tried = { name, method, path, expected, sent: index + 1, ...took, outcome };
    if (outcome.kind === 'silence' || (outcome.kind === 'answer' && outcome.ok)) break;
  }
  if (tried === null) throw new RangeError('a kind has a request at least');
  return tried;
}

async function send(
  request: GeneratedRequest,
  { expected, check }: Kind,
  url: string,
  signal: AbortSignal,
): Promise<Pick<TriedRequest, 'outcome' | 'tookMs'>> {
  const came = await exchange(request, url, MOST_BODY_BYTES, signal);
  if (came.kind !== 'answer') return { outcome: came };
  const isExpected = expectsStatus(expected, came.status);
  return outcomeOf(came, isExpected, isExpected ? (check?.(came.body) ?? null) : null);
}

type Answered = Extract<Awaited<ReturnType<typeof exchange>>, { readonly kind: 'answer' }>;

function outcomeOf(
  came: Answered,
  isExpected: boolean,
  lacks: string | null,
): { readonly tookMs: number; readonly outcome: Extract<TriedRequest['outcome'], { kind: 'answer' }> } {
  const { status, body, tookMs } = came;
  const ok = isExpected && lacks === null;
  const outcome = { kind: 'answer', ok, status, body: body.slice(0, MOST_TEXT), ...redirectOf(came) } as const;
  return { tookMs, outcome: { ...outcome, ...(lacks !== null && { lacks }) } };
}

/** Steps that come by chance are waited for, in this many requests. */
const MOST_SENT = 200;

/**
 * Goes through a script as one user without pauses, until each step was sent once. A step that fails is the last, since those
 * that follow may need what it captures. `over` begins the time of a request.
 */
async function tryScript(script: Script, url: string, over: () => AbortSignal): Promise<TriedRequest[]> {
  const session = script.openSession(0);
  const tried = new Map<number, TriedRequest>();
  for (let sent = 0; sent < MOST_SENT && tried.size < script.names.length; sent++) {
    const request = session.next();
    const { method, path, name } = request;
    const expected = script.expected[name] ?? null;
    const came = await exchange(request, url, MOST_BODY_BYTES, over());
    const step = { name: script.names[name] ?? path, method, path, expected, sent: 1 };
    if (came.kind !== 'answer') return [...tried.values(), { ...step, outcome: came }];
    const isExpected = expectsStatus(expected, came.status);
    const wrong = isExpected ? (script.checks?.[name]?.(came.body) ?? null) : null;
    const captured = session.answered(came, isExpected && wrong === null);
    const answered = outcomeOf(came, isExpected, wrong ?? captured);
    const { ok } = answered.outcome;
    if (!tried.has(name) || !ok) tried.set(name, { ...step, ...answered });
    if (!ok) break;
  }
  return [...tried.values()];
}
