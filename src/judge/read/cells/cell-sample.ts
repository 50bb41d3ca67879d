import { addTo } from '../../../base/group-by.ts';
import { answersOutlastSlice } from '../../../journal/long-answers.ts';
import { countAll, countOk } from '../../../journal/outcomes.ts';
import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';
import { mean, sum } from '../../stats/moments.ts';
import type { CountAmong } from '../../stats/poisson-rates.ts';
import type { ProbeValues } from '../metrics/metric-aliases.ts';
import type { ProbeReader } from '../metrics/probe-columns.ts';
import type { MeasuredSlice } from '../rounds/complete-rounds.ts';
import { cameWithin, rateMs } from '../rounds/turn-rates.ts';
import { coveredOutcomes } from '../rounds/void-reasons.ts';
import type { LatencyFigures } from './latency-counts.ts';
import { mergeRequests, type RequestCounts, requestsOf } from './request-counts.ts';
import { mergeWork, type WorkSample, workOf } from './work-sample.ts';

/** The counts of some slices of one cell, merged. */
export interface CellSample {
  readonly windowMs: number;
  /**
   * Answers by status code. A map, since an object with a property named 200 makes room for 300: that would be a third of a long
   * run's memory.
   */
  readonly statuses: ReadonlyMap<string, number>;
  readonly errors: number;
  readonly timeouts: number;
  /** Requests of an open loop that were due and were not sent. */
  readonly unsent: number;
  /** How late the requests of an open loop were sent, in microseconds: of its slices the largest p99; null in other loads. */
  readonly sendLagP99Us: number | null;
  /** Slices of a fixed number of requests, and their time together, null where one did not finish; null for other slices. */
  readonly bounded: { readonly slices: number; readonly durationMs: number | null } | null;
  /** Requests beside a job, and just before it; null in other loads. */
  readonly beside: BesideSample | null;
  /** Answers as expected: 2xx, where the scenario declares nothing else. */
  readonly ok: number;
  /** The time that these would take at the rate of their slices, in ms (turn-rates.ts); 0 of slices without a rate. */
  readonly rateMs: number;
  /** Answers as expected that came within the turns (turn-rates.ts); null where there were no turns. */
  readonly came: number | null;
  /** Other answers. */
  readonly notOk: number;
  readonly bytes: number;
  /** The latency of the answers as expected; null where histograms were not read. */
  readonly latency: LatencyFigures | null;
  /** Outcomes by kind of request; empty where the workload has only one. */
  readonly requests: RequestCounts;
  /** Null where no slice has counters (no probe, a URL target). */
  readonly database: DatabaseSample | null;
  /** Other counts, each with its number of requests. */
  readonly work: WorkSample;
  /** The load generator's event loop utilisation (0..1), the mean of the slices. */
  readonly generatorUtilisation: number;
  /** Reads a value of probes: the mean of the slices, or of the rounds. */
  readonly probe: ProbeReader;
}

/** How many requests failed, among all. */
export function countOf({
  ok,
  notOk,
  errors,
  timeouts,
  unsent,
}: Pick<CellSample, 'ok' | 'notOk' | 'errors' | 'timeouts' | 'unsent'>): CountAmong {
  const count = notOk + errors + timeouts + unsent;
  return { count, among: ok + count };
}

/** Answers beside a job, and without it. */
interface BesideSample {
  readonly longestUs: number;
  readonly without: { readonly longestUs: number; readonly okByTime: number; readonly windowMs: number };
}

/** Rounds of a cell, or several cells, as one sample. */
export interface MergedSample extends CellSample {
  /** All values of probes. */
  readonly probes: ProbeValues;
}

interface DatabaseSample {
  /** How many slices the counters cover; 0.25 where they cover a quarter of one's turns. */
  readonly slices: number;
  /** How long the arm was under load in what the counters cover: all of a slice, or a part of its turns. */
  readonly loadMs: number;
  /** Answers of any status in that, the uncounted starts of turns included. */
  readonly answered: number;
  /** Those, and the requests that got no answer. */
  readonly requests: number;
  /** How long the clock ran meanwhile, other arms' turns included; null where that is not known. */
  readonly wallMs: number | null;
  readonly delta: Readonly<Record<DatabaseColumn, number>>;
  /** Bytes of temporary files; null where they were not read. */
  readonly tempBytes: number | null;
}

/** Merges slices of one cell: counts and windows are added up. The caller has merged latencies and probes. */
export function sampleOf(
  measured: readonly MeasuredSlice[],
  latency: LatencyFigures | null,
  probe: ProbeReader,
): CellSample {
  const statuses = new Map<string, number>();
  for (const { slice } of measured) {
    const counts = slice.outcomes.statuses;
    for (const status in counts) addTo(statuses, status, counts[status] ?? 0);
  }
  return {
    ...countAnswers(statuses, sum(measured.map(({ slice }) => countOk(slice)))),
    rateMs: sum(measured.map(({ slice }) => (answersOutlastSlice(slice) ? 0 : rateMs(slice, countOk(slice))))),
    came: sumOrNull(measured.map(({ slice }) => cameIn(slice))),
    windowMs: sum(measured.map(({ slice }) => slice.windowMs)),
    errors: sum(measured.map(({ slice }) => slice.outcomes.errors)),
    timeouts: sum(measured.map(({ slice }) => slice.outcomes.timeouts)),
    unsent: sum(measured.map(({ slice }) => slice.outcomes.unsent ?? 0)),
    sendLagP99Us: largest(measured.map(({ slice }) => slice.sendLag?.p99Us ?? null)),
    bounded: mergeBounded(
      measured.map(({ slice: { bounded } }) => bounded && { slices: 1, durationMs: bounded.durationMs }),
    ),
    beside: mergeBeside(measured.map(({ slice }) => slice.beside ?? null)),
    bytes: sum(measured.map(({ slice }) => slice.bytes)),
    latency,
    requests: requestsOf(measured.map(({ slice }) => slice)),
    generatorUtilisation: mean(measured.map(({ slice }) => slice.generator.eventLoopUtilisation)),
    probe,
    database: mergeCounters(measured.flatMap((one) => databaseOf(one) ?? [])),
    work: workOf(measured),
  };
}

/** Merges samples of a cell's rounds, or of several cells. The caller has merged latencies and probes. */
export function mergeSamples(
  samples: readonly CellSample[],
  latency: LatencyFigures | null,
  probes: ProbeValues,
): MergedSample {
  const statuses = new Map<string, number>();
  for (const sample of samples) for (const [status, count] of sample.statuses) addTo(statuses, status, count);
  return {
    ...countAnswers(statuses, sum(samples.map(({ ok }) => ok))),
    rateMs: sum(samples.map((sample) => sample.rateMs)),
    came: sumOrNull(samples.map((sample) => sample.came)),
    windowMs: sum(samples.map(({ windowMs }) => windowMs)),
    errors: sum(samples.map(({ errors }) => errors)),
    timeouts: sum(samples.map(({ timeouts }) => timeouts)),
    unsent: sum(samples.map(({ unsent }) => unsent)),
    sendLagP99Us: largest(samples.map(({ sendLagP99Us }) => sendLagP99Us)),
    bounded: mergeBounded(samples.map(({ bounded }) => bounded)),
    beside: mergeBeside(samples.map(({ beside }) => beside)),
    bytes: sum(samples.map(({ bytes }) => bytes)),
    latency,
    requests: mergeRequests(samples.map(({ requests }) => requests)),
    generatorUtilisation: mean(samples.map(({ generatorUtilisation }) => generatorUtilisation)),
    probe: (name) => probes[name],
    probes,
    database: mergeCounters(samples.flatMap(({ database }) => database ?? [])),
    work: mergeWork(samples.map(({ work }) => work)),
  };
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

function mergeBounded(all: readonly (CellSample['bounded'] | undefined)[]): CellSample['bounded'] {
  const known = all.flatMap((one) => one ?? []);
  if (known.length === 0) return null;
  const times = known.map(({ durationMs }) => durationMs);
  return {
    slices: sum(known.map(({ slices }) => slices)),
    durationMs: times.includes(null) ? null : sum(times.flatMap((one) => one ?? [])),
  };
}

function mergeBeside(all: readonly CellSample['beside'][]): CellSample['beside'] {
  const known = all.flatMap((one) => one ?? []);
  if (known.length === 0) return null;
  const without = known.map((one) => one.without);
  return {
    longestUs: Math.max(...known.map(({ longestUs }) => longestUs)),
    without: {
      longestUs: Math.max(...without.map(({ longestUs }) => longestUs)),
      okByTime: sum(without.map((one) => one.okByTime)),
      windowMs: sum(without.map(({ windowMs }) => windowMs)),
    },
  };
}

function cameIn({ turns }: MeasuredSlice['slice']): number | null {
  const came = cameWithin(turns);
  return came.length === 0 ? null : sum(came);
}

/** Their sum; null where one is not known, or there is none. */
function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length < values.length || known.length === 0 ? null : sum(known);
}

function countAnswers(
  statuses: ReadonlyMap<string, number>,
  ok: number,
): Pick<CellSample, 'statuses' | 'ok' | 'notOk'> {
  return { statuses, ok, notOk: sum([...statuses.values()]) - ok };
}

function mergeCounters(all: readonly DatabaseSample[]): DatabaseSample | null {
  if (all.length === 0) return null;
  const entries = databaseColumns.map((column) => [column, sum(all.map((record) => record.delta[column]))] as const);
  return {
    slices: sum(all.map(({ slices }) => slices)),
    loadMs: sum(all.map(({ loadMs }) => loadMs)),
    answered: sum(all.map(({ answered }) => answered)),
    requests: sum(all.map(({ requests }) => requests)),
    wallMs: sumKnown(all.map(({ wallMs }) => wallMs)),
    delta: Object.fromEntries(entries) as Record<DatabaseColumn, number>,
    tempBytes: sumKnown(all.map(({ tempBytes }) => tempBytes)),
  };
}

/**
 * The counters of a slice. If they cover a part of its turns, that part of the pass has gone by meanwhile: turns of all
 * arms alternate from its beginning to its end.
 */
function databaseOf({ slice, counters, pass }: MeasuredSlice): DatabaseSample | null {
  if (counters === null) return null;
  const covered = coveredOutcomes(slice, counters);
  const { loadMs, delta } = counters;
  const share = slice.loadMs > 0 ? Math.min(1, loadMs / slice.loadMs) : 1;
  return {
    slices: share,
    loadMs,
    answered: sum(Object.values(covered.statuses)),
    requests: countAll(covered),
    wallMs: pass === null ? null : share * pass.durationMs,
    delta,
    tempBytes: delta.temp_bytes ?? null,
  };
}

/** Their sum; null where one is not known. */
function sumKnown(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);
}
