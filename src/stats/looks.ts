interface Look {
  readonly rounds: number;
  /** Two-sided. */
  readonly alpha: number;
}

/**
 * After how many rounds a run may look at its verdicts and stop, and what each look spends. Calibrated together, by
 * simulation, so that ONE comparison with no effect has a 5 % chance of ever excluding 0 (MEASUREMENT.md 5; checked
 * again in test/stats/false-alarms.test.ts). Looking at other moments, or at another alpha, breaks that promise.
 */
const schedule: readonly Look[] = [
  { rounds: 4, alpha: 0.0044 },
  { rounds: 5, alpha: 0.0049 },
  { rounds: 6, alpha: 0.0054 },
  { rounds: 8, alpha: 0.0062 },
  { rounds: 10, alpha: 0.007 },
  { rounds: 12, alpha: 0.0076 },
  { rounds: 15, alpha: 0.0085 },
  { rounds: 18, alpha: 0.0093 },
  { rounds: 22, alpha: 0.0103 },
  { rounds: 26, alpha: 0.0112 },
  { rounds: 32, alpha: 0.0125 },
  { rounds: 40, alpha: 0.0139 },
];

/** The numbers of rounds at which a run looks, ascending. */
export const looks: readonly number[] = schedule.map((look) => look.rounds);

/** Fewer rounds than this never give a verdict. */
export const MIN_ROUNDS = 4;

/**
 * The two-sided alpha for a run of n rounds: that of the smallest look >= n, since a run that its budget stops
 * between two looks spends the next one. A run longer than the last look takes that look late. Null under 4 rounds.
 */
export function alphaFor(n: number): number | null {
  if (n < MIN_ROUNDS) return null;
  return (schedule.find((look) => look.rounds >= n) ?? schedule.at(-1))?.alpha ?? null;
}
