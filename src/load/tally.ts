import { createLatencyHistogram, type LatencyHistogram } from '../journal/histogram.ts';
import type { OutcomesRecord } from '../journal/records.ts';
import { type Course, createCourse } from './course.ts';
import { createPartsTally, type LatencyParts } from './latency-parts.ts';
import type { CountedLoad, RequestResult, Turn, TurnResult } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';
import type { ServerTime } from './server-timing.ts';

/** How often a live display hears the rate. */
const LIVE_MS = 500;

interface Outcomes {
  statuses: Map<number, number>;
  errors: number;
  timeouts: number;
  unsent: number;
}

interface Counted {
  outcomes: Outcomes;
  latency: LatencyHistogram;
  /** By what the service names, added up over answers as expected. */
  serverMs: Map<string, number>;
}

/** Counts what comes back, turn by turn. Times are milliseconds since the start of the turn. */
export interface Tally {
  /** Begins a turn, of which the window counts. */
  begin(window: Window): void;
  answer(atMs: number, status: number, bytes: number, latencyUs: number, name: number, detail?: AnswerDetail): void;
  /** Bytes that came and are of no answer in particular. */
  receive(atMs: number, bytes: number): void;
  failure(failure: FailedAt): void;
  /** A request was due and could not be sent. */
  unsent(atMs: number): void;
  /** Whether an answer of this status is as expected. */
  expects(status: number, name: number): boolean;
  /** Answers as expected so far, of all turns. */
  readonly ok: number;
  /** Ends the turn, and tells what came of it. Where the turn was over before its window is, the window ends with it. */
  end(atMs?: number): Pick<TurnResult, 'ok' | 'okByTime' | 'latencyUs' | 'whole' | 'wholeOk'>;
  /** All turns that have ended, added up. */
  result(): CountedLoad;
}

/** What an answer has besides. */
interface AnswerDetail {
  /** It lacks what its script needs, and so is not as expected whatever its status. */
  readonly lacks?: boolean;
  /** Whether it is as expected, where not its status tells. */
  readonly isOk?: boolean;
  /** What the service says of where the time went. */
  readonly serverTimes?: readonly ServerTime[];
  /** Where its latency can be told apart. */
  readonly parts?: LatencyParts;
}

export interface FailedAt {
  readonly atMs: number;
  readonly kind: 'errors' | 'timeouts';
  /** For how long it had been waited for. */
  readonly waitedMs: number;
  readonly name: number;
}

interface TallyOptions {
  /**
   * By which moment a request lies in the window. `due`: by that at which it was due, in an open loop. There the slowest
   * answers come after the end of the turn, and must not be left out.
   */
  readonly countsBy?: 'answer' | 'due';
}

export type Window = Pick<Turn, 'fromMs' | 'toMs'>;

interface TallyNames extends Pick<RequestSource, 'names' | 'expected' | 'script'> {
  /** Set where every answer comes with whether it is as expected. */
  readonly declaresOk?: boolean;
}

/**
 * Answers count in the window of their turn by the time they came. Only answers as expected (2xx, where nothing else is
 * declared) have a latency and bytes: a fast error must not make a service look fast. Everything, inside the window or
 * not, is in `whole`. There is one histogram for all turns: each is 200 KB, too much to make anew many times a second.
 *
 * Rates are made of `okByTime`, to which each request adds the share of its time that lay in the window: a turn has few
 * latencies, and connections that send together are answered together, so that a wave of answers more or less at its
 * ends would move a plain count by a fifth. With 25 and 50 connections it scattered an arm's slice by 10 to 25 % less.
 *
 * A request that failed counts where it failed; but one that hangs has no such moment. It is given up some time, often
 * only after its turn, and counts in the window if it was waited for in any part of it.
 */
export function createTally(
  { names, expected, script, declaresOk = script !== undefined }: TallyNames,
  { countsBy = 'answer' }: TallyOptions = {},
): Tally {
  const counted = newCounted();
  const partsTally = createPartsTally(counted.latency);
  const whole = newOutcomes();
  // A workload of a user's own may name its requests only as it makes them, so these come as they are met.
  const byName: Counted[] = [];
  let fromMs = 0;
  let toMs = 0;
  let windowMs = 0;
  let busyMs = 0;
  let bytes = 0;
  let ok = 0;
  let okInWindow = 0;
  let turn = newTurn(ok, okInWindow);
  let course: Course | null = null;
  let endMs = 0;
  const ofName = (name: number): Counted => {
    byName[name] ??= newCounted();
    return byName[name];
  };
  const inWindow = (atMs: number): boolean => atMs >= fromMs && atMs < toMs;
  const expects = (status: number, name: number): boolean =>
    expected?.[name]?.includes(status) ?? (status >= 200 && status < 300);

  return {
    expects,
    begin(window) {
      ({ fromMs, toMs } = window);
      course = createCourse(window);
      turn = newTurn(ok, okInWindow);
    },
    answer(atMs, status, responseBytes, latencyUs, name, { lacks = false, isOk: told, serverTimes = [], parts } = {}) {
      const isOk = !lacks && (told ?? expects(status, name));
      const latencyMs = latencyUs / 1000;
      const withinMs = Math.max(0, Math.min(atMs, toMs) - Math.max(atMs - latencyMs, fromMs));
      busyMs += withinMs;
      count(turn.whole, status);
      if (isOk) {
        ok++;
        turn.latencyUs += latencyUs;
        if (latencyMs > 0) turn.okByTime += withinMs / latencyMs;
      }
      if (!inWindow(countsBy === 'due' ? atMs - latencyMs : atMs)) return;
      const named = ofName(name);
      count(counted.outcomes, status);
      count(named.outcomes, status);
      if (!isOk) return;
      okInWindow++;
      bytes += responseBytes;
      if (parts !== undefined) partsTally.record(latencyUs, parts);
      counted.latency.record(latencyUs);
      course?.answer(atMs, latencyUs, name);
      named.latency.record(latencyUs);
      for (const { name: part, durationMs } of serverTimes) addTime(named.serverMs, part, durationMs);
    },
    receive(atMs, received) {
      if (inWindow(atMs)) bytes += received;
    },
    failure({ atMs, kind, waitedMs, name }) {
      turn.whole[kind]++;
      const sentMs = atMs - waitedMs;
      const hung = kind === 'timeouts' && atMs >= fromMs && sentMs < toMs;
      if (countsBy === 'due' ? !inWindow(sentMs) : !inWindow(atMs) && !hung) return;
      counted.outcomes[kind]++;
      ofName(name).outcomes[kind]++;
    },
    unsent(atMs) {
      turn.whole.unsent++;
      if (inWindow(atMs)) counted.outcomes.unsent++;
    },
    get ok() {
      return ok;
    },
    end(atMs = toMs) {
      endMs = Math.min(toMs, atMs);
      const answers = ok - turn.okBefore;
      addOutcomes(whole, turn.whole);
      windowMs += Math.min(toMs, atMs) - fromMs;
      return {
        ok: okInWindow - turn.inWindowBefore,
        okByTime: Number(turn.okByTime.toFixed(2)),
        latencyUs: answers === 0 ? null : turn.latencyUs / answers,
        whole: toRecord(turn.whole),
        wholeOk: answers,
      };
    },
    result: () => ({
      windowMs,
      busyMs,
      ...partsTally.result(okInWindow),
      outcomes: toRecord(counted.outcomes),
      // A script may need more of an answer than its status.
      ...((declaresOk || expected?.some((statuses) => statuses !== undefined)) && { ok: okInWindow, wholeOk: ok }),
      bytes,
      latency: counted.latency.toRecord(),
      byRequest: names.length > 1 ? byRequest(names, byName) : {},
      ...serverTimes(names, byName),
      ...(course !== null && { course: course.result(names, endMs) }),
      whole: toRecord(whole),
    }),
  };
}

interface CountedTurn {
  readonly okBefore: number;
  readonly inWindowBefore: number;
  /** Sum, of answers as expected. */
  latencyUs: number;
  okByTime: number;
  readonly whole: Outcomes;
}

function newTurn(okBefore: number, inWindowBefore: number): CountedTurn {
  return { okBefore, inWindowBefore, latencyUs: 0, okByTime: 0, whole: newOutcomes() };
}

function byRequest(names: readonly string[], byName: readonly (Counted | undefined)[]): Record<string, RequestResult> {
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const counted = byName[index];
      return counted === undefined
        ? []
        : [[name, { outcomes: toRecord(counted.outcomes), latency: counted.latency.toRecord() }]];
    }),
  );
}

function newCounted(): Counted {
  return { outcomes: newOutcomes(), latency: createLatencyHistogram(), serverMs: new Map() };
}

/** A service may name more parts of its time, but nobody reads them: the rest is one. */
const MOST_PARTS = 50;

function addTime(times: Map<string, number>, name: string, durationMs: number): void {
  const part = times.has(name) || times.size < MOST_PARTS ? name : 'other';
  times.set(part, (times.get(part) ?? 0) + durationMs);
}

function serverTimes(
  names: readonly string[],
  byName: readonly (Counted | undefined)[],
): Pick<CountedLoad, 'serverTimes'> {
  const times = names.flatMap((name, index) => {
    const { serverMs } = byName[index] ?? { serverMs: new Map<string, number>() };
    return serverMs.size === 0 ? [] : [[name, Object.fromEntries(serverMs)] as const];
  });
  return times.length === 0 ? {} : { serverTimes: Object.fromEntries(times) };
}

function newOutcomes(): Outcomes {
  return { statuses: new Map(), errors: 0, timeouts: 0, unsent: 0 };
}

function count(outcomes: Outcomes, status: number): void {
  outcomes.statuses.set(status, (outcomes.statuses.get(status) ?? 0) + 1);
}

function addOutcomes(sum: Outcomes, { statuses, errors, timeouts, unsent }: Outcomes): void {
  for (const [status, requests] of statuses) sum.statuses.set(status, (sum.statuses.get(status) ?? 0) + requests);
  sum.errors += errors;
  sum.timeouts += timeouts;
  sum.unsent += unsent;
}

function toRecord({ statuses, errors, timeouts, unsent }: Outcomes): OutcomesRecord {
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, requests]) => [String(status), requests]);
  return { statuses: Object.fromEntries(byStatus), errors, timeouts, ...(unsent > 0 && { unsent }) };
}

/** Tells twice a second how many answers as expected come in a second; until the timer is cleared. */
export function reportRate(tally: Pick<Tally, 'ok'>, report: (requestsPerSecond: number) => void): NodeJS.Timeout {
  let before = tally.ok;
  let beforeMs = performance.now();
  return setInterval(() => {
    // A busy event loop is late, so the time is measured and not assumed.
    const nowMs = performance.now();
    report(((tally.ok - before) * 1000) / (nowMs - beforeMs));
    before = tally.ok;
    beforeMs = nowMs;
  }, LIVE_MS);
}
