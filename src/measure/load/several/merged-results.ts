import { groupBy } from '../../../base/group-by.ts';
import { mergedLatencies, zeroLatencies } from '../../../journal/histogram.ts';
import type { LatencyRecord } from '../../../journal/latency-record.ts';
import type { OutcomesRecord, PartsRecord } from '../../../journal/records.ts';
import type { LoadResult, RequestResult, TurnResult } from '../load-generator.ts';

/** Merges the turn that several processes made at the same time. */
export function mergedTurns(turns: readonly TurnResult[]): TurnResult {
  const wholeOk = sumOf(turns, (turn) => turn.wholeOk);
  const latencyUs = sumOf(turns, (turn) => turn.wholeOk * (turn.latencyUs ?? 0));
  const failure = turns.find((turn) => turn.failure !== undefined)?.failure;
  return {
    wallMs: Math.max(...turns.map((turn) => turn.wallMs)),
    ok: sumOf(turns, (turn) => turn.ok),
    okByTime: rounded(sumOf(turns, (turn) => turn.okByTime)),
    ...(turns.every(({ okWithin }) => okWithin !== undefined) && {
      okWithin: sumOf(turns, (turn) => turn.okWithin ?? 0),
    }),
    ...(turns.every(({ busyMs }) => busyMs !== undefined) && {
      busyMs: rounded(sumOf(turns, (turn) => turn.busyMs ?? 0)),
    }),
    latencyUs: wholeOk === 0 ? null : latencyUs / wholeOk,
    whole: mergedOutcomes(turns.map((turn) => turn.whole)),
    wholeOk,
    ...(failure !== undefined && { failure }),
  };
}

/**
 * Results of the turns of several processes: counts and CPU time added up, histograms merged. The busiest process says how
 * busy the generator was, since it reaches its limit first. The course of a stretch is left out: percentiles of its parts
 * cannot be merged.
 */
export function mergedResults(results: readonly [LoadResult, ...LoadResult[]]): LoadResult {
  const [first] = results;
  const { windowMs } = first;
  const parts = mergedParts(results);
  const serverTimes = mergedTimes(results);
  const hasOk = results.some((result) => result.ok !== undefined);
  const ownResults = results.flatMap((result) => result.ownResults ?? []);
  return {
    windowMs,
    busyMs: sumOf(results, (result) => result.busyMs ?? 0),
    ...(parts !== null && { parts }),
    outcomes: mergedOutcomes(results.map((result) => result.outcomes)),
    ...(hasOk && {
      ok: sumOf(results, (result) => result.ok ?? 0),
      wholeOk: sumOf(results, (one) => one.wholeOk ?? 0),
    }),
    bytes: sumOf(results, (result) => result.bytes),
    latency: mergedLatencies(results.map((result) => result.latency)),
    byRequest: mergedRequests(results),
    ...(serverTimes !== null && { serverTimes }),
    whole: mergedOutcomes(results.map((result) => result.whole)),
    startedAt: results.map((result) => result.startedAt).reduce((one, other) => (other < one ? other : one)),
    loadMs: Math.max(...results.map((result) => result.loadMs)),
    generator: {
      eventLoopUtilisation: Math.max(...results.map(({ generator }) => generator.eventLoopUtilisation)),
      cpuMs: sumOf(results, ({ generator }) => generator.cpuMs),
    },
    connectionsOpened: sumOf(results, (result) => result.connectionsOpened),
    reopened: sumOf(results, (result) => result.reopened),
    closingAnswers: sumOf(results, (result) => result.closingAnswers ?? 0),
    ...mergedProbe(results),
    ...(ownResults.length > 0 && { ownResults }),
  };
}

/** Rates and counts are added up. Percentiles of several processes make no percentile, and are left out. */
function mergedProbe([{ probe }, ...others]: readonly [LoadResult, ...LoadResult[]]): Pick<LoadResult, 'probe'> {
  if (probe === undefined) return {};
  const all = [probe, ...others.flatMap((other) => other.probe ?? [])].map(({ values }) => values);
  const sums = Object.entries(mergedNumbers(all)).filter(([name]) => !name.endsWith('_ms'));
  return { probe: { ...probe, values: Object.fromEntries(sums) } };
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

function mergedOutcomes(all: readonly OutcomesRecord[]): OutcomesRecord {
  const unsent = sumOf(all, (outcomes) => outcomes.unsent ?? 0);
  return {
    statuses: mergedNumbers(all.map(({ statuses }) => statuses)),
    errors: sumOf(all, ({ errors }) => errors),
    timeouts: sumOf(all, ({ timeouts }) => timeouts),
    ...(unsent > 0 && { unsent }),
  };
}

function mergedRequests(results: readonly LoadResult[]): Record<string, RequestResult> {
  return mergedByName(
    results.map(({ byRequest }) => byRequest),
    (all) => ({
      outcomes: mergedOutcomes(all.map(({ outcomes }) => outcomes)),
      ...(all.some(({ byTime }) => byTime !== undefined) && {
        byTime: rounded(sumOf(all, ({ byTime }) => byTime ?? 0)),
      }),
      latency: mergedLatencies(all.map(({ latency }) => latency)),
    }),
  );
}

/** A part that one process left out, since it has no value there, is what it is said to be the same as. */
function mergedParts(results: readonly LoadResult[]): PartsRecord | null {
  const known = results.filter(({ latency }) => latency.count > 0);
  if (known.length === 0 || known.some(({ parts }) => parts === undefined)) return null;
  const has = (part: keyof PartsRecord): boolean => known.some(({ parts }) => parts?.[part] !== undefined);
  const merged = (of: (result: LoadResult) => LatencyRecord): LatencyRecord => mergedLatencies(known.map(of));
  const processingOf = ({ parts, latency }: LoadResult): LatencyRecord => parts?.processing ?? latency;
  return {
    ...(has('connect') && { connect: merged(({ parts, latency }) => parts?.connect ?? zeroLatencies(latency.count)) }),
    ...(has('processing') && { processing: merged(processingOf) }),
    ...(has('waiting') && { waiting: merged((result) => result.parts?.waiting ?? processingOf(result)) }),
  };
}

function mergedTimes(results: readonly LoadResult[]): NonNullable<LoadResult['serverTimes']> | null {
  const times = results.map(({ serverTimes = {} }) => serverTimes);
  return times.every((one) => Object.keys(one).length === 0) ? null : mergedByName(times, mergedNumbers);
}

function mergedNumbers(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  return mergedByName(all, (values) => sumOf(values, (value) => value));
}

function mergedByName<T, Merged>(
  all: readonly Readonly<Record<string, T>>[],
  merge: (values: readonly T[]) => Merged,
): Record<string, Merged> {
  const named = all.flatMap((one) => Object.entries(one));
  const groups = groupBy(named, ([name]) => name);
  return Object.fromEntries(groups.map((group) => [group[0]?.[0] ?? '', merge(group.map(([, value]) => value))]));
}

function sumOf<T>(all: readonly T[], read: (one: T) => number): number {
  return all.reduce((sum, one) => sum + read(one), 0);
}
