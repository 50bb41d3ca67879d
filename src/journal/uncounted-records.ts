import type { OutcomesRecord } from './outcomes.ts';
import type { LoadLevel } from './scenario-record.ts';

/** An arm's warm-up. Its requests are never counted. */
export interface WarmupRecord {
  readonly type: 'warmup';
  readonly round: number;
  readonly arm: string;
  readonly load: LoadLevel;
  /** Under load: the sum of its turns. */
  readonly durationMs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Answers as expected in each turn. Absent in old journals. */
  readonly turns?: readonly number[];
  /** How long each turn was. Absent where all are alike, as in old journals. */
  readonly turnsMs?: readonly number[];
  /** How many requests it was to serve; absent where a time was wanted. */
  readonly wanted?: number;
  /** 2xx in each whole second. Only in old journals. */
  readonly perSecond?: readonly number[];
  /** True once the rate had become flat. Only in old journals. */
  readonly steady?: boolean;
}

/**
 * The outcome of load that counts for no slice: warming up, trying turns, a pass that was made again. Its failures are
 * failures all the same. Absent in journals of version 0.1.
 */
export interface UncountedRecord {
  readonly type: 'uncounted';
  readonly round: number;
  readonly arm: string;
  readonly load: LoadLevel;
  readonly purpose: 'warm-up' | 'trial' | 'repeated pass';
  /** Under load: the sum of its turns. */
  readonly durationMs: number;
  readonly outcomes: OutcomesRecord;
  /** Answers as expected. */
  readonly ok: number;
}

/** A service that did not end by SIGTERM and was killed; written only then. */
export interface KilledRecord {
  readonly type: 'killed';
  readonly round: number;
  readonly arm: string;
  readonly variant: string;
  /** How long it was waited for. */
  readonly afterMs: number;
  /** Which of its processes, by name, where they are several. */
  readonly processes?: readonly string[];
}
