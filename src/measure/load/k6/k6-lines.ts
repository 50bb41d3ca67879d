import type { K6Iteration } from './iterations.ts';
import { K6_SCENARIO, STARTED_METRIC } from './script-module.ts';

/** Content of a line of k6's output. Events of a load of users have their iteration. */
export type K6Event = K6Content & { readonly iteration?: K6Iteration };

/** `atMs` is the end of the event, in ms since 1970. */
type K6Content =
  /** When the load began. */
  | { readonly kind: 'started'; readonly atMs: number }
  | K6Request
  | { readonly kind: 'opened' }
  | { readonly kind: 'iterations'; readonly count: number; readonly atMs: number }
  /** How long an iteration took, pauses included. */
  | { readonly kind: 'iteration-time'; readonly durationMs: number; readonly atMs: number }
  /** Iterations that were due when no user was free. */
  | { readonly kind: 'dropped'; readonly count: number; readonly atMs: number }
  | { readonly kind: 'check'; readonly name: string; readonly passed: boolean; readonly atMs: number }
  | { readonly kind: 'received'; readonly bytes: number; readonly atMs: number }
  /** Comes ahead of the first value of a metric that the script or a protocol of k6's brings. */
  | { readonly kind: 'metric'; readonly name: string; readonly type: K6MetricType; readonly isTime: boolean }
  | { readonly kind: 'value'; readonly name: string; readonly value: number; readonly atMs: number };

const k6MetricTypes = ['counter', 'gauge', 'rate', 'trend'] as const;

export type K6MetricType = (typeof k6MetricTypes)[number];

export interface K6Request {
  readonly kind: 'request';
  readonly atMs: number;
  /** From the first byte that is sent to the last that is received: without the making of the connection. */
  readonly latencyMs: number;
  /** As k6 has it: what the script calls it, or its URL. */
  readonly name: string;
  readonly method: string;
  /** 0 where there was no answer. */
  readonly status: number;
  /** By the script's `setResponseCallback`; k6's own is 200 to 399. */
  readonly isExpected: boolean;
  readonly timedOut: boolean;
  /** False in setup() and teardown(). */
  readonly inLoad: boolean;
}

interface Described {
  readonly type: 'Metric';
  readonly data: { readonly type: string; readonly contains: string };
}

interface Point {
  readonly type: 'Point';
  readonly data: {
    readonly time: string;
    readonly value: number;
    readonly tags?: Readonly<Record<string, string>>;
    /** Different in every sample, so k6 keeps it out of its tags. */
    readonly metadata?: Partial<K6Iteration>;
  };
}

type Reader = (point: Point['data']) => K6Content | null;

/** Codes of k6's: no answer in time, no connection in time. */
const TIMEOUTS = new Set(['1050', '1211']);

/** Passed over unread, which is most of what there is: each request has nine lines. */
const unread = new Set([
  'http_reqs',
  'http_req_failed',
  'http_req_blocked',
  'http_req_tls_handshaking',
  'http_req_sending',
  'http_req_waiting',
  'http_req_receiving',
  'data_sent',
  'vus',
  'vus_max',
  'group_duration',
]);

/** By metric. */
const readers: Readonly<Record<string, Reader>> = {
  [STARTED_METRIC]: ({ value }) => ({ kind: 'started', atMs: value }),
  http_req_duration: requestOf,
  ws_connecting: (point) => ({ ...requestOf(point), isExpected: point.tags?.status === '101' }),
  // gRPC has its own codes: 0 is well.
  grpc_req_duration: (point) => {
    const isExpected = point.tags?.status === '0';
    return { ...requestOf(point), status: isExpected ? 200 : 500, isExpected };
  },
  http_req_connecting: ({ value }) => (value > 0 ? { kind: 'opened' } : null),
  iterations: ({ time, value }) => ({ kind: 'iterations', count: value, atMs: Date.parse(time) }),
  iteration_duration: ({ time, value, tags }) =>
    tags?.scenario === K6_SCENARIO ? { kind: 'iteration-time', durationMs: value, atMs: Date.parse(time) } : null,
  dropped_iterations: ({ time, value }) => ({ kind: 'dropped', count: value, atMs: Date.parse(time) }),
  checks: ({ time, value, tags }) => ({
    kind: 'check',
    name: tags?.check ?? '',
    passed: value > 0,
    atMs: Date.parse(time),
  }),
  data_received: ({ time, value }) => ({ kind: 'received', bytes: value, atMs: Date.parse(time) }),
};

const METRIC = /"metric":"([^"]*)"/;

/** Reads a line of `k6 run --out json`; null where it tells nothing that is counted, or is no such line. */
export function readK6Line(line: string): K6Event | null {
  const metric = METRIC.exec(line)?.[1] ?? '';
  if (metric === '' || unread.has(metric)) return null;
  let read: Point | Described;
  try {
    read = JSON.parse(line) as Point | Described;
  } catch {
    // The last line of a k6 that was killed.
    return null;
  }
  const isOwn = Object.hasOwn(readers, metric);
  if (read.type === 'Metric') return isOwn ? null : describe(metric, read.data);
  if (read.type !== 'Point') return null;
  const { time, value } = read.data;
  const content = isOwn
    ? readers[metric]?.(read.data)
    : ({ kind: 'value', name: metric, value, atMs: Date.parse(time) } as const);
  return content ? { ...content, ...iterationOf(read.data) } : null;
}

/** setup() and teardown() are no iterations. */
function iterationOf({ tags, metadata: { vu, iter } = {} }: Point['data']): Pick<K6Event, 'iteration'> {
  const isOne = vu !== undefined && iter !== undefined && tags?.scenario === K6_SCENARIO;
  return isOne ? { iteration: { vu, iter } } : {};
}

function describe(name: string, { type, contains }: Described['data']): K6Content | null {
  const known = k6MetricTypes.find((one) => one === type);
  return known === undefined ? null : { kind: 'metric', name, type: known, isTime: contains === 'time' };
}

function requestOf({ time, value, tags = {} }: Point['data']): K6Request {
  return {
    kind: 'request',
    atMs: Date.parse(time),
    latencyMs: value,
    name: tags.name ?? '',
    method: tags.method ?? 'GET',
    status: Number(tags.status ?? 0),
    isExpected: tags.expected_response !== 'false' && tags.status !== '0',
    timedOut: TIMEOUTS.has(tags.error_code ?? ''),
    inLoad: tags.scenario === K6_SCENARIO,
  };
}

/** Line of k6's standard error with `--log-format json`. */
export interface K6Message {
  readonly level: string;
  readonly text: string;
  /** Part of k6 that wrote it, such as `console` for the script's own messages; absent where k6 names none. */
  readonly source?: string;
}

/** A message of k6's, or the line as it is where k6 did not write it so. */
export function readK6Message(line: string): K6Message {
  try {
    const { level, msg, error, source } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof level === 'string' && typeof msg === 'string') {
      const text = typeof error === 'string' ? `${msg}: ${error}` : msg;
      return { level, text, ...(typeof source === 'string' && { source }) };
    }
  } catch {
    // Said as it is.
  }
  return { level: 'info', text: line };
}

/** True if k6 reports an error; a script may log any level on its console. */
export function isK6Error({ level, source }: K6Message): boolean {
  return level === 'error' && source !== 'console';
}

const CROSSED = /thresholds on metrics '(.*)' have been crossed/;

/** The metrics whose thresholds a message says to be crossed; empty where it says something else. */
export function crossedThresholds({ text }: K6Message): string[] {
  // A metric with tags has its own commas: http_req_duration{name:a,status:200}.
  return CROSSED.exec(text)?.[1]?.split(/, (?![^{]*\})/) ?? [];
}
