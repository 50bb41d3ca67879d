import type { LoadLevel } from '../journal/scenario-record.ts';

/**
 * `supports`: it sustains this load. `not-reached`: it keeps all limits at the largest load that shows all of them.
 * `below`: it breaks one at the smallest load that shows it. `unstable`: rounds differ too much in the load, or more
 * load does not make it worse. `generator`: the load generator was at its own limit first, or the machine let it wait.
 * `not-measured`: no slice shows the limits.
 */
export type CapacityOutcome = 'supports' | 'not-reached' | 'below' | 'unstable' | 'generator' | 'not-measured';

/** Why a session is unfit. */
export type SessionNote =
  | { readonly kind: 'no-rounds' }
  | TooManyVoid
  /** A/A: the control's second arm differs from its first in 2xx/s, or in the metric that the run is about, by this interval in percent. */
  | {
      readonly kind: 'control-differs';
      readonly load: LoadLevel;
      readonly interval: readonly [number, number];
      readonly metric?: string;
      /** The planned control, where the run is judged against another. */
      readonly variant?: string;
    }
  /** A/A of a capacity search: the second arm sustains another load than the first. */
  | {
      readonly kind: 'control-capacity-differs';
      readonly interval: readonly [number, number];
      readonly variant?: string;
    }
  /** How much load the control supports is not known, or of no other variant: the `outcomes` of these arms. */
  | { readonly kind: 'no-capacity'; readonly outcomes: readonly CapacityOutcome[] };

export interface TooManyVoid {
  readonly kind: 'too-many-void';
  readonly voided: number;
  readonly slices: number;
  /** Most frequent first. A slice may have several reasons. */
  readonly byReason: Readonly<Record<string, number>>;
}
