import type { BulkRecord } from '../../../journal/bulk-records.ts';
import type { LoadResult } from '../load-generator.ts';
import { createTally } from '../tally.ts';
import type { Outgoing } from './post-all.ts';
import type { Answer } from './poster.ts';

/** With more kinds of request than this, their latencies are not separated: nobody would read them. */
const MOST_NAMES = 21;

/** Counts what a bulk load comes to. */
export interface BulkTally {
  read(outgoing: Outgoing): void;
  answered(outgoing: Outgoing, answer: Answer): void;
  settled(outgoing: Outgoing, answer: Answer, accepted: boolean): void;
  /** Accepted or given up. */
  readonly documents: number;
  result(totalMs: number): { readonly counts: Counts; readonly bulk: BulkRecord };
}

type Counts = Pick<LoadResult, 'outcomes' | 'bytes' | 'latency' | 'byRequest' | 'whole'>;

export function createBulkTally(): BulkTally {
  // Filled as they are met.
  const names: string[] = [];
  const tally = createTally({ names });
  // All of a bulk load counts, so that for the tally it is one turn.
  tally.begin({ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });
  const byResource = new Map<string, { documents: number; loaded: number }>();
  const failed: Record<string, number> = {};
  let documents = 0;
  let loaded = 0;
  let given = 0;
  let repeats = 0;
  const nameOf = ({ name }: Outgoing): number => {
    const index = names.indexOf(name);
    if (index >= 0 || names.length > MOST_NAMES) return Math.max(index, 0);
    return names.push(name) - 1;
  };
  const countsOf = (resource: string): { documents: number; loaded: number } => {
    const counts = byResource.get(resource) ?? { documents: 0, loaded: 0 };
    byResource.set(resource, counts);
    return counts;
  };
  return {
    read({ resource }) {
      documents++;
      countsOf(resource).documents++;
    },
    answered(outgoing, { outcome, bytes, latencyUs }) {
      if (outgoing.attempts > 1) repeats++;
      if (typeof outcome === 'number') tally.answer(0, outcome, bytes, latencyUs, nameOf(outgoing));
      else {
        const kind = outcome === 'timeout' ? 'timeouts' : 'errors';
        tally.failure({ atMs: 0, kind, waitedMs: latencyUs / 1000, name: nameOf(outgoing) });
      }
    },
    settled({ resource }, { outcome }, accepted) {
      if (accepted) {
        loaded++;
        countsOf(resource).loaded++;
      } else {
        given++;
        failed[outcome] = (failed[outcome] ?? 0) + 1;
      }
    },
    get documents() {
      return loaded + given;
    },
    result(totalMs) {
      tally.end();
      const { windowMs: _endless, ...counts } = tally.result();
      return {
        counts: names.length > MOST_NAMES ? { ...counts, byRequest: {} } : counts,
        bulk: { documents, loaded, repeats, failed, byResource: Object.fromEntries(byResource), totalMs },
      };
    },
  };
}
