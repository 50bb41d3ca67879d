import type { MoreFailures } from '../caveat.ts';
import { sum } from '../stats/moments.ts';
import { failedShares, isClearlyMore } from '../verdicts/caveats.ts';
import type { ExternalGroup, Failures } from './types.ts';

/** Commands of a variant, or of the control, that failed: what they took says nothing. */
export interface FailedCommands {
  readonly kind: 'failed-commands';
  readonly variant: string;
  readonly failed: number;
  readonly among: number;
}

/** The failed commands of these variants; empty where none failed, and for requests. */
export function failedCommands(group: ExternalGroup, variants: readonly string[]): FailedCommands[] {
  return variants.flatMap((variant) => {
    const known = failuresOf(group, variant).filter(({ ofCommands }) => ofCommands);
    const { count: failed, among } = total(known);
    return failed === 0 ? [] : [{ kind: 'failed-commands', variant, failed, among }];
  });
}

/** Faster by failing is not faster: marked as in a sweep. */
export function failureNotes(group: ExternalGroup, variant: string, control: string): MoreFailures[] {
  const [a, b] = [total(failuresOf(group, variant)), total(failuresOf(group, control))];
  return isClearlyMore(a, b) ? [{ kind: 'more-failures', ...failedShares(a, b) }] : [];
}

function failuresOf({ runs }: ExternalGroup, variant: string): Failures[] {
  return runs.flatMap((run) => (run.variant === variant ? (run.failures ?? []) : []));
}

function total(all: readonly Failures[]): Failures {
  return { count: sum(all.map(({ count }) => count)), among: sum(all.map(({ among }) => among)) };
}
