import type { StopReason } from '../journal/records.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import type { BulkProgress } from '../load/load-generator.ts';
import type { Voided } from './validity.ts';

/** What happens in a run, as it happens. Progress listens; nothing in the run depends on who does. */
export type RunEvent =
  | { readonly kind: 'preparing'; readonly message: string }
  | { readonly kind: 'run-started'; readonly folder: string; readonly arms: number; readonly cells: number }
  | {
      readonly kind: 'round-started';
      readonly round: number;
      /** The last round that the budget is expected to allow. */
      readonly rounds: number;
      readonly slices: number;
      /** Until the run ends, if no verdict ends it earlier; null where nothing is known of it. */
      readonly leftMs: number | null;
    }
  | { readonly kind: 'arms-starting'; readonly arms: number }
  | { readonly kind: 'warmup-started'; readonly arm: string }
  | { readonly kind: 'waiting'; readonly forMs: number; readonly reason: string }
  | { readonly kind: 'slice-started'; readonly slice: number; readonly arm: string; readonly load: LoadLevel }
  | { readonly kind: 'live'; readonly requestsPerSecond: number }
  | { readonly kind: 'bulk-progress'; readonly progress: BulkProgress }
  | {
      readonly kind: 'slice-void';
      readonly slice: number;
      readonly arm: string;
      readonly load: LoadLevel;
      readonly voided: readonly Voided[];
      /** Whether it is measured again. */
      readonly again: boolean;
    }
  | { readonly kind: 'slice-ended'; readonly slice: number; readonly arm: string; readonly requestsPerSecond: number }
  | { readonly kind: 'round-ended'; readonly round: number; readonly durationMs: number; readonly undecided: number }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'run-ended'; readonly reason: StopReason };

export type EmitEvent = (event: RunEvent) => void;
