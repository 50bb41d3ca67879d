import { createLatencyHistogram, type LatencyHistogram } from '../../journal/histogram.ts';
import type { CourseOfRequests, CourseRecord } from '../../journal/slice-record.ts';
import type { Turn } from './load-generator.ts';

/** A window that is shorter is a turn among many, which together are the course. */
const LEAST_WINDOW_MS = 2000;
/** Enough for a picture, each long enough for a percentile. */
const MOST_PARTS = 60;
const LEAST_PART_MS = 500;

/** Counts answers as expected by the part of a window in which they come. */
export interface Course {
  answer(atMs: number, latencyUs: number, name: number): void;
  /** Up to a moment, where the window ended before its time. */
  result(names: readonly string[], endMs: number): CourseRecord;
}

interface Parts {
  readonly ok: number[];
  readonly sumUs: number[];
}

/** The course of a window; null where it is too short to have one. */
export function createCourse({ fromMs, toMs }: Pick<Turn, 'fromMs' | 'toMs'>): Course | null {
  const windowMs = toMs - fromMs;
  if (!Number.isFinite(windowMs) || windowMs < LEAST_WINDOW_MS) return null;
  const parts = Math.min(MOST_PARTS, Math.floor(windowMs / LEAST_PART_MS));
  const partMs = windowMs / parts;
  const all = newParts(parts);
  const byName: Parts[] = [];
  const p99Us: number[] = new Array<number>(parts).fill(0);
  // Answers come in the order of time: one histogram of 200 KB is enough.
  let current: { readonly part: number; readonly latency: LatencyHistogram } | null = null;
  const endPart = (): void => {
    if (current !== null) p99Us[current.part] = current.latency.toRecord().p99Us;
    current = null;
  };
  return {
    answer(atMs, latencyUs, name) {
      const part = Math.min(parts - 1, Math.floor((atMs - fromMs) / partMs));
      if (current?.part !== part) endPart();
      current ??= { part, latency: createLatencyHistogram() };
      current.latency.record(latencyUs);
      byName[name] ??= newParts(parts);
      for (const { ok, sumUs } of [all, byName[name]]) {
        ok[part] = (ok[part] ?? 0) + 1;
        sumUs[part] = (sumUs[part] ?? 0) + latencyUs;
      }
    },
    result(names, endMs) {
      endPart();
      const whole = Math.min(parts, Math.max(1, Math.ceil((endMs - fromMs) / partMs)));
      const recordOf = ({ ok, sumUs }: Parts): CourseOfRequests => ({
        ok: ok.slice(0, whole),
        meanUs: ok.slice(0, whole).map((count, part) => (count === 0 ? 0 : Math.round((sumUs[part] ?? 0) / count))),
      });
      const named =
        names.length < 2 ? [] : names.flatMap((name, at) => (byName[at] ? [[name, recordOf(byName[at])]] : []));
      return { partMs, ...recordOf(all), p99Us: p99Us.slice(0, whole), byRequest: Object.fromEntries(named) };
    },
  };
}

function newParts(parts: number): Parts {
  return { ok: new Array<number>(parts).fill(0), sumUs: new Array<number>(parts).fill(0) };
}
