import { createLatencyHistogram, type LatencyHistogram } from '../journal/histogram.ts';
import type { OutcomesRecord } from '../journal/records.ts';
import type { LoadResult, RequestResult } from './load-generator.ts';
import type { RequestSource } from './request-source.ts';

interface Outcomes {
  statuses: Map<number, number>;
  errors: number;
  timeouts: number;
}

interface Counted {
  outcomes: Outcomes;
  latency: LatencyHistogram;
}

/** Counts what comes back during one stretch of load. Times are milliseconds since the start of the load. */
export interface Tally {
  answer(atMs: number, status: number, bytes: number, latencyUs: number, name: number): void;
  failure(atMs: number, kind: 'errors' | 'timeouts', name: number): void;
  /** Answers as expected so far. */
  readonly ok: number;
  result(): Pick<LoadResult, 'outcomes' | 'ok' | 'bytes' | 'latency' | 'byRequest' | 'whole' | 'perSecond'>;
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Answers count in the window by the time they came. Only answers as expected (2xx, where nothing else is declared) have
 * a latency and bytes: a fast error must not make a service look fast. Everything, inside the window or not, is in
 * `whole`.
 */
export function createTally(window: Window, { names, expected }: Pick<RequestSource, 'names' | 'expected'>): Tally {
  const counted = newCounted();
  const whole = newOutcomes();
  // A workload of a user's own may name its requests only as it makes them, so these come as they are met.
  const byName: Counted[] = [];
  const perSecond: number[] = [];
  let bytes = 0;
  let ok = 0;
  let okInWindow = 0;
  const ofName = (name: number): Counted => {
    byName[name] ??= newCounted();
    return byName[name];
  };
  const inWindow = (atMs: number): boolean => atMs >= window.fromMs && atMs < window.toMs;

  return {
    answer(atMs, status, responseBytes, latencyUs, name) {
      const isOk = expected?.[name]?.includes(status) ?? (status >= 200 && status < 300);
      count(whole, status);
      if (isOk) {
        ok++;
        const second = Math.floor(atMs / 1000);
        perSecond[second] = (perSecond[second] ?? 0) + 1;
      }
      if (!inWindow(atMs)) return;
      const named = ofName(name);
      count(counted.outcomes, status);
      count(named.outcomes, status);
      if (!isOk) return;
      okInWindow++;
      bytes += responseBytes;
      counted.latency.record(latencyUs);
      named.latency.record(latencyUs);
    },
    failure(atMs, kind, name) {
      whole[kind]++;
      if (!inWindow(atMs)) return;
      counted.outcomes[kind]++;
      ofName(name).outcomes[kind]++;
    },
    get ok() {
      return ok;
    },
    result: () => ({
      outcomes: toRecord(counted.outcomes),
      ...(expected?.some((statuses) => statuses !== undefined) && { ok: okInWindow }),
      bytes,
      latency: counted.latency.toRecord(),
      byRequest: names.length > 1 ? byRequest(names, byName) : {},
      whole: toRecord(whole),
      perSecond: Array.from(perSecond, (requests) => requests ?? 0),
    }),
  };
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
  return { statuses: new Map(), errors: 0, timeouts: 0 };
}

function count(outcomes: Outcomes, status: number): void {
  outcomes.statuses.set(status, (outcomes.statuses.get(status) ?? 0) + 1);
}

function toRecord({ statuses, errors, timeouts }: Outcomes): OutcomesRecord {
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, requests]) => [String(status), requests]);
  return { statuses: Object.fromEntries(byStatus), errors, timeouts };
}
