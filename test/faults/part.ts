import { ExitCode } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';

export interface Context {
  /** Which of the part are tried, by their numbers in the whole; `to` is not among them. */
  readonly from: number;
  readonly to: number;
  readonly random: Random;
  /** A folder for everything. */
  readonly folder: string;
}

/** What a piece of a part came to. */
export interface PartResult {
  readonly tried: number;
  /** How often each kind of outcome came. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What must not be, each with what it takes to see it again. */
  readonly faults: readonly string[];
  /** Why it could not be tried here; null where it was. */
  readonly skipped: string | null;
}

/** The whole numbers from `from` up to `to`, without it. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Nothing that is asked of one file may take more CPU time: a clock would count the work of others too. */
export const MOST_CPU_MS = 10_000;

/** What a command may end with that was given something broken: all of the contract but an internal error. */
export const EXIT_CODES: readonly number[] = [ExitCode.done, ExitCode.usage, ExitCode.unfit];

/** The CPU time of this process since its start. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Counts outcomes and keeps faults. */
export function createTally(): {
  count(outcome: string): void;
  fault(text: string): void;
  result(skipped?: string | null): PartResult;
} {
  const outcomes = new Map<string, number>();
  const faults: string[] = [];
  let tried = 0;
  return {
    count(outcome) {
      tried++;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    },
    fault: (text) => void faults.push(text),
    result: (skipped = null) => ({ tried, outcomes: Object.fromEntries(outcomes), faults, skipped }),
  };
}

/** Lets the event loop go on, and with it the signals: work in one process would hold them up. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
