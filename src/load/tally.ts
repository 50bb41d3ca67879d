import { createLatencyHistogram, type LatencyHistogram } from '../journal/histogram.ts';
import type { OutcomesRecord } from '../journal/records.ts';
import type { LoadResult, RequestResult, Turn, TurnResult } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';

interface Outcomes {
  statuses: Map<number, number>;
  errors: number;
  timeouts: number;
  unsent: number;
}

interface Counted {
  outcomes: Outcomes;
  latency: LatencyHistogram;
}

/** Counts what comes back, turn by turn. Times are milliseconds since the start of the turn. */
export interface Tally {
  /** Begins a turn, of which the window counts. */
  begin(window: Window): void;
  answer(atMs: number, status: number, bytes: number, latencyUs: number, name: number): void;
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
  result(): Pick<
    LoadResult,
    'windowMs' | 'busyMs' | 'outcomes' | 'ok' | 'bytes' | 'latency' | 'byRequest' | 'whole' | 'wholeOk'
  >;
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
  { names, expected }: Pick<RequestSource, 'names' | 'expected'>,
  { countsBy = 'answer' }: TallyOptions = {},
): Tally {
  const counted = newCounted();
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
      turn = newTurn(ok, okInWindow);
    },
    answer(atMs, status, responseBytes, latencyUs, name) {
      const isOk = expects(status, name);
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
      counted.latency.record(latencyUs);
      named.latency.record(latencyUs);
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
      outcomes: toRecord(counted.outcomes),
      ...(expected?.some((statuses) => statuses !== undefined) && { ok: okInWindow, wholeOk: ok }),
      bytes,
      latency: counted.latency.toRecord(),
      byRequest: names.length > 1 ? byRequest(names, byName) : {},
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
  return { outcomes: newOutcomes(), latency: createLatencyHistogram() };
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
