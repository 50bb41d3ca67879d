import { PgsweepError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { chainOf } from './chain.ts';
import { addPause, type Found, type FoundRequest, type LeftOut, type MixKind } from './found.ts';
import { type MixedRequest, mixedRequest, type Routed } from './mixed-request.ts';
import { type Prepared, prepared } from './prepared.ts';
import { routesOf } from './routes.ts';
import { createRedactor } from './secrets.ts';
import { byFrequency, shapeOf } from './varying.ts';

export interface Mix {
  readonly kind: MixKind;
  /** The most frequent first, as long as they are seen; else in the order of the source. */
  readonly requests: readonly MixedRequest[];
  readonly leftOut: readonly LeftOut[];
  /** The requests that were found, also those that are left out for their host or their number. */
  readonly total: number;
  /** From the first request to the last, in milliseconds; null where the source has no times. */
  readonly lengthMs: number | null;
  readonly pausesMs: readonly number[];
  /** Variables in place of secrets, with how many different ones each stands for. */
  readonly secrets: ReadonlyMap<string, number>;
}

/** As many requests as somebody reads, and as much text as a scenario may have with room to spare. */
const MOST = { requests: 100, steps: 300, characters: 400_000, body: 16_000, depth: 50, address: 2000, segments: 50 };
const MOST_WEIGHT = 1_000_000;

export interface MixOptions {
  /** Whose requests are wanted where there are several hosts; those of the most frequent where absent. */
  readonly host?: string;
  /** True for one user's way, step by step. If absent, requests that need earlier answers decide. */
  readonly session?: boolean;
}

/**
 * The requests of a source as the fewest that stand for all of them; of a session all, in their order. Throws PgsweepError
 * `usage` where a session is asked for, and the source has no answers.
 */
export function mixOf(found: Found, { host, session }: MixOptions): Mix {
  const { requests: ofHost, leftOut } = requestsOfHost(found, host);
  const ordered = ofHost.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
  const chain = ordered.some(({ answer }) => answer !== undefined) ? chainOf(ordered) : null;
  if (session === true && chain === null)
    throw new PgsweepError('usage', '--session: the source has no answers', {
      hint: 'A HAR does: the network tab of a browser saves one.',
    });
  const isSession = chain !== null && (session ?? chain.isChained);
  const kind = isSession ? 'session' : found.kind;
  const redactor = createRedactor({ apart: isSession });
  const ready = (isSession ? chain.requests : ofHost).map((request) => prepared(request, redactor));
  const groups = isSession ? ready.map((one) => [{ ...one, route: one.segments }]) : groupsOf(found.kind, ready);
  const mixed = mixedOf(groups, kind, leftOut);
  return {
    kind,
    requests: withNamesOfTheirOwn(withWeights(mixed, kind)),
    leftOut,
    total: found.requests.length,
    lengthMs: lengthOf(ofHost),
    pausesMs: found.pausesMs,
    secrets: new Map([...redactor.variables].map(([name, values]) => [name, values.size])),
  };
}

function requestsOfHost(found: Found, host: string | undefined): { requests: FoundRequest[]; leftOut: LeftOut[] } {
  const wanted = host ?? mostFrequentHost(found.requests);
  const leftOut = [...found.leftOut];
  const ofHost: FoundRequest[] = [];
  for (const request of found.requests) {
    const isWanted = request.host === undefined || wanted === undefined || request.host === wanted;
    if (!isWanted)
      leftOut.push({ what: `requests to ${request.host}`, why: `another host; --host ${request.host} takes those` });
    const isShort = request.path.length <= MOST.address && request.path.split('/').length <= MOST.segments;
    if (isWanted && !isShort)
      leftOut.push({
        what: `a ${request.method}`,
        why: `its address has more than ${MOST.address} characters or ${MOST.segments} parts`,
      });
    if (isWanted && isShort) ofHost.push(request);
    // The pause after a request that is left out is one after the request before it.
    else addPause(ofHost, request.pauseMs);
  }
  return { requests: ofHost, leftOut };
}

/** Those that a scenario can have; the others are added to `leftOut`. */
function mixedOf(groups: readonly (readonly Routed[])[], kind: MixKind, leftOut: LeftOut[]): MixedRequest[] {
  const mixed: MixedRequest[] = [];
  const captured = new Set<string>();
  let characters = 0;
  for (const group of groups) {
    const one = mixedRequest(group, kind);
    const isFull = mixed.length >= (kind === 'session' ? MOST.steps : MOST.requests);
    const many = kind === 'session' ? `more than ${MOST.steps} steps` : `more than ${MOST.requests} kinds of request`;
    const why = isFull ? many : (whyNot(group, one, characters) ?? whatLacks(one, captured));
    if (why === null) {
      mixed.push(one);
      characters += JSON.stringify(one.request).length;
      for (const name of Object.keys(group[0]?.from.capture ?? {})) captured.add(name);
    } else for (const _ of group) leftOut.push({ what: String(one.request.name ?? one.request.path), why });
  }
  return mixed;
}

/** A step cannot be sent without what it needs. */
function whatLacks({ request }: MixedRequest, captured: ReadonlySet<string>): string | null {
  const needed = [...JSON.stringify(request).matchAll(/(?<!\$)\$\{captured ([\w-]+)\}/g)].map(([, name = '']) => name);
  return needed.every((name) => captured.has(name)) ? null : 'it needs the answer to a request that is left out';
}

function mostFrequentHost(requests: readonly FoundRequest[]): string | undefined {
  return byFrequency(requests.flatMap(({ host }) => host ?? []))[0];
}

function lengthOf(requests: readonly FoundRequest[]): number | null {
  const times = requests.flatMap(({ atMs }) => atMs ?? []);
  if (times.length < 2) return null;
  return times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b));
}

/** Requests that one can stand for, the largest group first where they were seen. */
function groupsOf(kind: Found['kind'], requests: readonly Prepared[]): (readonly Routed[])[] {
  const paths = requests.map(({ segments }) => segments);
  // What is described has placeholders already.
  const routes = kind === 'seen' ? routesOf(paths) : paths;
  const routed = requests.map((request, index) => ({ ...request, route: routes[index] ?? [] }));
  const all = groupBy(routed, (request) => {
    const { route, query, headers, body } = request;
    const names = query.map(([name]) => name);
    const values = kind === 'seen' ? [] : [query, headers, body];
    return JSON.stringify([request.from.method, route, names, headers['content-type'], bodyShape(request), values]);
  });
  return kind === 'seen' ? all.sort((a, b) => b.length - a.length) : all;
}

function bodyShape({ body }: Prepared): string {
  if (body?.kind === 'json') return shapeOf(body.value);
  return body?.kind === 'form' ? body.fields.map(([name]) => name).join('&') : (body?.kind ?? '');
}

/** Why a scenario cannot have it; null where it can. */
function whyNot([first]: readonly Routed[], { request, statuses }: MixedRequest, characters: number): string | null {
  const length = JSON.stringify(request).length;
  if (JSON.stringify(request.body ?? '').length > MOST.body) return `its body is longer than ${MOST.body} characters`;
  if (depthOf(request.body) > MOST.depth) return `its body is nested more than ${MOST.depth} levels`;
  if (characters + length > MOST.characters) return 'the scenario would be too large';
  if (statuses.length > 0 && statuses.every((status) => status >= 500)) return 'it was only answered with 5xx';
  const isRead = first?.from.method === 'GET' || first?.from.method === 'HEAD';
  return isRead && first?.body !== undefined ? `a ${first?.from.method} with a body` : null;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, one) => Math.max(most, depthOf(one)), 0);
}

function withWeights(mixed: readonly MixedRequest[], kind: MixKind): MixedRequest[] {
  if (kind !== 'seen') return [...mixed];
  const most = mixed.reduce((a, { count }) => Math.max(a, count), 1);
  const scale = Math.min(1, MOST_WEIGHT / most);
  return mixed.map((one) => ({
    ...one,
    request: { ...one.request, weight: scale === 1 ? one.count : Math.max(1, Math.round(one.count * scale)) },
  }));
}

/** Two kinds of body at one address are two requests. */
function withNamesOfTheirOwn(mixed: readonly MixedRequest[]): MixedRequest[] {
  const times = new Map<unknown, number>();
  return mixed.map((one) => {
    const { name } = one.request;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? one : { ...one, request: { ...one.request, name: `${name} (${time})` } };
  });
}
