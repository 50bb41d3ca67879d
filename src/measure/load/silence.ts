import { PgsweepError } from '../../base/errors.ts';
import type { Failed } from './connection-outcomes.ts';
import type { Turn } from './load-generator.ts';

/** A service is given up after this many errors, and this much time of a turn, or half of a shorter one, without an answer. */
const MOST_ERRORS = 200;
const MOST_MS = 2000;

/** Watches for a service that answers nothing: nothing can be measured of it. */
export interface Silence {
  /** A turn begins. */
  begin(turn: Pick<Turn, 'durationMs'>): void;
  /** A service that answers some requests is overloaded, and that is a result. */
  answered(): void;
  /** The error of a service that has been silent for too long; null before. A timeout tells no more than that it is slow. */
  failed(failure: Pick<Failed, 'kind' | 'message'>): PgsweepError | null;
}

/** The silence of the service at `url`, which has not begun. */
export function createSilence(url: string): Silence {
  let errors = 0;
  let sinceMs = 0;
  let mostMs = MOST_MS;
  return {
    begin({ durationMs }) {
      // It may have been silent in the turn before; the time between turns is no silence.
      sinceMs = performance.now();
      mostMs = Math.min(MOST_MS, durationMs / 2);
    },
    answered() {
      errors = 0;
    },
    failed({ kind, message }) {
      if (kind === 'timeouts') return null;
      const nowMs = performance.now();
      if (errors++ === 0) sinceMs = nowMs;
      if (errors < MOST_ERRORS || nowMs - sinceMs < mostMs) return null;
      return new PgsweepError('load', `${url} failed ${errors} requests without an answer, lastly by: ${message}`, {
        hint: 'Is the service up, and does it accept this many connections?',
      });
    },
  };
}
