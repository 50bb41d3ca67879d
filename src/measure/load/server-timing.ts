import { isModest } from '../../base/modest.ts';

/** A metric that a service tells of one of its answers. */
export interface ServerTime {
  readonly name: string;
  readonly durationMs: number;
}

/** A day, as no request takes longer: the sum over a slice then fits into a journal. */
const MOST_MS = 86_400_000;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// A quote that is never closed reaches to the end. No text matches in two ways: the time to match would double with each character.
const QUOTED = '"(?:[^"\\\\]|\\\\.)*(?:"|\\\\?$)';
const METRIC = new RegExp(`^[ \\t,]*(${TOKEN})[ \\t]*((?:;(?:${QUOTED}|[^",])*)?)(?:,|$)`);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})?[ \\t]*(?:=[ \\t]*(${QUOTED}|[^;]*))?`, 'g');

/**
 * The durations in a header Server-Timing (https://www.w3.org/TR/server-timing/, its header field and parsing algorithm):
 * `db;dur=53, cache;desc="Cache Read";dur=23.2`. Metrics without one are left out; of a parameter that stands twice the first
 * counts. What follows a metric that is none is not read.
 */
export function parseServerTiming(header: string): ServerTime[] {
  const times: ServerTime[] = [];
  let rest = header;
  while (rest !== '') {
    const match = METRIC.exec(rest);
    if (match === null) break;
    const [whole, name = '', parameters = ''] = match;
    rest = rest.slice(whole.length);
    const durationMs = durationOf(parameters);
    if (durationMs !== null) times.push({ name, durationMs });
  }
  return times;
}

/** A service may name more parts of its time, but nobody reads them: the rest is one. */
const MOST_PARTS = 50;

/** Adds durations to sums by name. */
export function addServerTimes(sums: Map<string, number>, times: readonly ServerTime[]): void {
  for (const { name, durationMs } of times) {
    const part = sums.has(name) || sums.size < MOST_PARTS ? name : 'other';
    sums.set(part, (sums.get(part) ?? 0) + durationMs);
  }
}

function durationOf(parameters: string): number | null {
  for (const [, name = '', value = ''] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() !== 'dur') continue;
    const duration = Number.parseFloat(value.replace(/^"/, ''));
    return isModest(duration) && duration >= 0 && duration <= MOST_MS ? duration : null;
  }
  return null;
}
