import { createLatencyHistogram, type LatencyHistogram } from '../../journal/histogram.ts';
import { addCame, type Came, cameWithin } from './came-within.ts';
import { type Course, createCourse } from './course.ts';
import { firstOfName } from './first-of-name.ts';
import { createPartsTally, type LatencyParts } from './latency-parts.ts';
import type { CountedLoad, RequestResult, Turn, TurnResult } from './load-generator.ts';
import { addOutcomes, countStatus, newOutcomes, type Outcomes, toRecord } from './outcome-counts.ts';
import { expectsStatus, type RequestSource } from './request-source.ts';
import { addServerTimes, type ServerTime } from './server-timing.ts';

interface Counted {
  outcomes: Outcomes;
  /** Requests, each by the share of its time that lay in the window. */
  byTime: number;
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
  /** A client's cycle of requests and pauses is over, where those count by cycles. */
  cycle(beganMs: number, endedMs: number): void;
  /** A request was due and could not be sent. */
  unsent(atMs: number): void;
  /** Moves ends of the turn's window that were not known when it began. */
  move(ends: Partial<Window>): void;
  /** True if an answer of this status is as expected. */
  expects(status: number, name: number): boolean;
  /** Answers as expected so far, of all turns. */
  readonly ok: number;
  /** The longest wait of a request that counts, answered or not. */
  readonly longestMs: number;
  /** Ends the turn, once nothing is under way, and returns its counts. A turn that was over before its window ends the window. */
  end(atMs?: number): TurnCounts;
  /** All turns that have ended, added up. */
  result(): CountedLoad;
}

/** Other facts about an answer. */
interface AnswerDetail {
  /** It lacks what its script needs or what its body is to hold, and so is not as expected whatever its status. */
  readonly lacks?: boolean;
  /** True if it is as expected, when its status alone does not decide. */
  readonly isOk?: boolean;
  /** Server-Timing of the service. */
  readonly serverTimes?: readonly ServerTime[];
  /** Where its latency is counted. */
  readonly parts?: LatencyParts;
  /** When its cycle began; absent where it is of none. */
  readonly beganMs?: number | undefined;
}

export interface FailedAt {
  readonly atMs: number;
  readonly kind: 'errors' | 'timeouts';
  /** For how long it had been waited for. */
  readonly waitedMs: number;
  readonly name: number;
  readonly beganMs?: number | undefined;
}

export type TurnCounts = Pick<
  TurnResult,
  'ok' | 'okByTime' | 'okWithin' | 'busyMs' | 'latencyUs' | 'whole' | 'wholeOk'
>;

interface TallyOptions {
  /** How many connections send their next request as soon as the last is answered. Absent where the load is no closed loop. */
  readonly clients?: number;
  /**
   * Requests that count by the window: sent in it (default), answered in it (where the last are cut off), under way at any
   * time in it, or those of cycles that began in it.
   */
  readonly counts?: 'sent' | 'answered' | 'under way' | 'cycles';
}

/** Times are differences of clocks in floating point: a request that was sent with the window must lie in it. */
const ROUNDING_MS = 1e-6;

export type Window = Pick<Turn, 'fromMs' | 'toMs'>;

interface TallyNames extends Pick<RequestSource, 'names' | 'expected' | 'checks' | 'script'> {
  /** Set where every answer comes with whether it is as expected. */
  readonly declaresOk?: boolean;
}

/**
 * A request counts where it was sent (in an open loop: due) in the window, with its whole latency, however late its answer
 * comes. A count of the answers that come within the window would leave out every wait that outlasts a turn. Only answers as
 * expected (2xx, where nothing else is declared) have a latency and bytes: a fast error must not make a service look fast.
 * Everything, inside the window or not, is in `whole`. There is one histogram for all turns: each is 200 KB, too much to
 * make again many times a second.
 *
 * In a closed loop the rate is connections x answers / `busyMs`: Wald's identity (1944) for cycles of a connection, which a
 * turn's end does not cut. `busyMs` adds up the latencies of all requests that count, failed ones too, and the moments that
 * the generator takes between an answer and the next request. Clients that go through cycles of several requests and pauses
 * have the same rate, with the times of whole cycles as `busyMs`.
 *
 * `okByTime` checks that rate by what is seen in the window alone: each request adds the share of its time that lay in it.
 * A plain count of answers would depend on where the ends of the window fall between waves of answers.
 *
 * Where requests do not wait for answers, a queue may grow without end, and parts of all who wait in it would look like
 * answers: a service of 100 a second showed 122 at a rate of 150. So there the rate is `okWithin`, the answers that came
 * (came-within.ts).
 */
export function createTally(
  { names, expected, checks, script, declaresOk = script !== undefined || checks !== undefined }: TallyNames,
  { clients, counts: rule = 'sent' }: TallyOptions = {},
): Tally {
  const counted = newCounted();
  const partsTally = createPartsTally(counted.latency);
  const whole = newOutcomes();
  // A workload of a user's own may name its requests only as it makes them, so these come as they are met.
  const byName: Counted[] = [];
  let fromMs = 0;
  let toMs = 0;
  let windowMs = 0;
  let withinMs = 0;
  let bytes = 0;
  let ok = 0;
  let okCounted = 0;
  let turn = newTurn(ok, okCounted);
  let course: Course | null = null;
  let endMs = 0;
  let longestMs = 0;
  const firstOf = firstOfName(names);
  const ofName = (name: number): Counted => (byName[firstOf(name)] ??= newCounted());
  const inWindow = (atMs: number): boolean => atMs >= fromMs - ROUNDING_MS && atMs < toMs - ROUNDING_MS;
  const isCounted = (atMs: number, sentMs: number, beganMs = Number.NEGATIVE_INFINITY): boolean => {
    if (rule === 'under way') return atMs >= fromMs && sentMs < toMs;
    return inWindow({ sent: sentMs, answered: atMs, cycles: beganMs }[rule]);
  };
  /** Notes for how long a request was under way. Returns whether it counts. */
  const occupy = (atMs: number, tookMs: number, name: number, beganMs?: number): boolean => {
    const ownMs = shareWithin(atMs, tookMs);
    turn.withinMs += ownMs;
    if (ownMs > 0) ofName(name).byTime += ownMs / tookMs;
    if (!isCounted(atMs, atMs - tookMs, beganMs)) return false;
    if (rule !== 'cycles') turn.busyMs += tookMs;
    longestMs = Math.max(longestMs, tookMs);
    return true;
  };
  /** True where requests do not wait for answers. */
  const comes = clients === undefined && rule === 'sent';
  const shareWithin = (atMs: number, tookMs: number): number =>
    Math.max(0, Math.min(atMs, toMs) - Math.max(atMs - tookMs, fromMs));
  const expects = (status: number, name: number): boolean => expectsStatus(expected?.[name], status);

  return {
    expects,
    begin(window) {
      ({ fromMs, toMs } = window);
      course = createCourse(window);
      turn = newTurn(ok, okCounted);
    },
    move(ends) {
      fromMs = ends.fromMs ?? fromMs;
      toMs = ends.toMs ?? toMs;
      course = null;
    },
    answer(atMs, status, responseBytes, latencyUs, name, detail = {}) {
      const { lacks = false, isOk: given, serverTimes = [], parts, beganMs } = detail;
      const isOk = !lacks && (given ?? expects(status, name));
      const latencyMs = latencyUs / 1000;
      const counts = occupy(atMs, latencyMs, name, beganMs);
      countStatus(turn.whole, status);
      if (isOk) {
        ok++;
        turn.latencyUs += latencyUs;
        if (latencyMs > 0) turn.okByTime += shareWithin(atMs, latencyMs) / latencyMs;
        if (comes) addCame(turn.came, firstOf(name), atMs, latencyMs);
        if (inWindow(atMs)) course?.answer(atMs, latencyUs, firstOf(name));
      }
      if (!counts) return;
      const named = ofName(name);
      countStatus(counted.outcomes, status);
      countStatus(named.outcomes, status);
      if (!isOk) return;
      okCounted++;
      bytes += responseBytes;
      if (parts !== undefined) partsTally.record(latencyUs, parts);
      counted.latency.record(latencyUs);
      named.latency.record(latencyUs);
      addServerTimes(named.serverMs, serverTimes);
    },
    receive(atMs, received) {
      if (inWindow(atMs)) bytes += received;
    },
    failure({ atMs, kind, waitedMs, name, beganMs }) {
      turn.whole[kind]++;
      if (!occupy(atMs, waitedMs, name, beganMs)) return;
      counted.outcomes[kind]++;
      ofName(name).outcomes[kind]++;
    },
    cycle(beganMs, endedMs) {
      if (inWindow(beganMs)) turn.busyMs += endedMs - beganMs;
    },
    unsent(atMs) {
      turn.whole.unsent++;
      if (inWindow(atMs)) counted.outcomes.unsent++;
    },
    get ok() {
      return ok;
    },
    get longestMs() {
      return longestMs;
    },
    end(atMs = toMs) {
      endMs = Math.min(toMs, atMs);
      const answers = ok - turn.okBefore;
      addOutcomes(whole, turn.whole);
      const ownMs = endMs - fromMs;
      windowMs += ownMs;
      withinMs += turn.withinMs;
      const betweenMs = Math.max(0, (clients ?? 0) * ownMs - turn.withinMs);
      return {
        ok: okCounted - turn.countedBefore,
        okByTime: Number(turn.okByTime.toFixed(2)),
        ...(comes && { okWithin: cameWithin(turn.came, inWindow) }),
        ...((clients !== undefined || rule === 'cycles') && { busyMs: Number((turn.busyMs + betweenMs).toFixed(2)) }),
        latencyUs: answers === 0 ? null : turn.latencyUs / answers,
        whole: toRecord(turn.whole),
        wholeOk: answers,
      };
    },
    result: () => ({
      windowMs,
      busyMs: withinMs,
      ...partsTally.result(okCounted),
      outcomes: toRecord(counted.outcomes),
      // A script may need more of an answer than its status, and a body may have to hold something.
      ...((declaresOk || expected?.some((statuses) => statuses !== undefined)) && { ok: okCounted, wholeOk: ok }),
      bytes,
      latency: counted.latency.toRecord(),
      byRequest: names.length > 1 ? byRequest(names, byName, clients !== undefined) : {},
      ...serverTimes(names, byName),
      ...(course !== null && { course: course.result(names, endMs) }),
      whole: toRecord(whole),
    }),
  };
}

interface CountedTurn {
  readonly okBefore: number;
  readonly countedBefore: number;
  /** Sum over answers as expected. */
  latencyUs: number;
  okByTime: number;
  /** When answers as expected came, by kind of request; empty where their times set the pace. */
  readonly came: (Came | undefined)[];
  /** For how long requests, or cycles, were under way: those that count. And all requests within the window. */
  busyMs: number;
  withinMs: number;
  readonly whole: Outcomes;
}

function newTurn(okBefore: number, countedBefore: number): CountedTurn {
  return {
    okBefore,
    countedBefore,
    latencyUs: 0,
    okByTime: 0,
    came: [],
    busyMs: 0,
    withinMs: 0,
    whole: newOutcomes(),
  };
}

type ByName = readonly (Counted | undefined)[];

function byRequest(names: readonly string[], byName: ByName, isClosedLoop: boolean): Record<string, RequestResult> {
  const met = names.flatMap((name, index) => {
    const counted = byName[index];
    if (counted === undefined) return [];
    const byTime = isClosedLoop && { byTime: Number(counted.byTime.toFixed(2)) };
    return [[name, { outcomes: toRecord(counted.outcomes), ...byTime, latency: counted.latency.toRecord() }]];
  });
  return Object.fromEntries(met);
}

function newCounted(): Counted {
  return { outcomes: newOutcomes(), byTime: 0, latency: createLatencyHistogram(), serverMs: new Map() };
}

function serverTimes(names: readonly string[], byName: ByName): Pick<CountedLoad, 'serverTimes'> {
  const times = names.flatMap((name, index) => {
    const { serverMs } = byName[index] ?? { serverMs: new Map<string, number>() };
    return serverMs.size === 0 ? [] : [[name, Object.fromEntries(serverMs)] as const];
  });
  return times.length === 0 ? {} : { serverTimes: Object.fromEntries(times) };
}
