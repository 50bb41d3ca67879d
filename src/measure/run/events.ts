import type { Left } from '../../journal/left-records.ts';
import type { LengthsRecord } from '../../journal/length-records.ts';
import type { FoundSoFar, OpenChoice, OpenEstimate, SearchSoFar } from '../../journal/open-estimate.ts';
import type { ConditionsRecord, WholeSlicesReason } from '../../journal/pass-records.ts';
import type { Proposal } from '../../journal/proposal-records.ts';
import type { StopReason } from '../../journal/records.ts';
import type { Shard } from '../../journal/run/shard-records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { BulkProgress } from '../load/load-generator.ts';
import type { TimeBounds } from '../plan/estimate.ts';
import type { LaterWorker } from './round/idle-work.ts';
import type { Violation } from './validity/validity.ts';
import type { RunWarning } from './warnings.ts';

/** An event of a run. Progress listens; nothing in the run depends on its listeners. */
export type RunEvent =
  | { readonly kind: 'preparing'; readonly message: string }
  | {
      readonly kind: 'run-started';
      readonly folder: string;
      readonly arms: number;
      readonly cells: number;
      /** Set where the run is a share of a plan: which, and how many rounds the plan has. */
      readonly shard?: Shard & { readonly rounds: number };
    }
  | {
      readonly kind: 'round-started';
      readonly round: number;
      /** The last round that the budget is expected to allow. */
      readonly rounds: number;
      readonly passes: number;
      /** Until the run ends, if no verdict ends it earlier; null where nothing is known of it. */
      readonly leftMs: number | null;
      /** Set where times depend on limits that are not known yet: those of this round, and of each later one. */
      readonly bounds?: TimeBounds;
      /** Set with `bounds`: until the budget ends; infinite where there is none. */
      readonly budgetLeftMs?: number;
    }
  | { readonly kind: 'arms-starting'; readonly arms: number }
  | { readonly kind: 'warmup-started'; readonly arms: number }
  | { readonly kind: 'waiting'; readonly forMs: number; readonly reason: string }
  | {
      readonly kind: 'pass-started';
      readonly pass: number;
      readonly load: LoadLevel;
      readonly arms: number;
      /** Null for a bulk load, which takes as long as it takes. */
      readonly turnMs: number | null;
      readonly turnsPerArm: number | null;
      /** Where arms are one process: each has a turn once forwards and once backwards in every block. */
      readonly blocks?: number;
    }
  | { readonly kind: 'pass-ended'; readonly load: LoadLevel; readonly conditions: ConditionsRecord }
  /** This load level has whole slices, from here on or in one round alone. */
  | {
      readonly kind: 'whole-slices';
      readonly load: LoadLevel;
      readonly reason: WholeSlicesReason;
      readonly inRound?: number;
      /** The arm that works in the turns of others, where that is the reason. */
      readonly by?: LaterWorker;
    }
  /** Where capacities are looked for: the levels of this round. */
  | {
      readonly kind: 'levels-chosen';
      readonly levels: readonly LoadLevel[];
      /** Once limits are about known for the first time: how long the rest of this round takes. */
      readonly leftMs?: number;
      /** As `leftMs`: the shortest and the longest that each of the next rounds takes, also on a busy machine. */
      readonly nextMs?: readonly [number, number];
    }
  | { readonly kind: 'rate'; readonly requestsPerSecond: number }
  | { readonly kind: 'bulk-progress'; readonly progress: BulkProgress }
  /** A job has run for so long. */
  | { readonly kind: 'job-progress'; readonly arm: string; readonly forMs: number }
  | {
      readonly kind: 'slice-void';
      readonly arm: string;
      readonly load: LoadLevel;
      readonly voided: readonly Violation[];
    }
  /** Requests of a slice got no answer in time. */
  | {
      readonly kind: 'timeouts';
      readonly arm: string;
      readonly load: LoadLevel;
      readonly timeouts: number;
      /** How long the slice was, and after how long a request times out. */
      readonly sliceMs: number;
      readonly timeoutMs: number;
    }
  /** A service did not end by SIGTERM. */
  | {
      readonly kind: 'service-killed';
      readonly arm: string;
      readonly afterMs: number;
      /** Which of its processes, where they are several. */
      readonly processes?: readonly string[];
    }
  /** An arm's database is not as far away as asked. */
  | {
      readonly kind: 'round-ended';
      readonly round: number;
      readonly durationMs: number;
      /** Null where nobody looks, since the run is a shard. */
      readonly undecided: number | null;
      /** The smallest change in percent that can be seen by now; null where none can yet. */
      readonly detectablePercent: number | null;
      /** The comparisons without a verdict whose interval is known: none before verdicts can be. */
      readonly open: readonly OpenEstimate[];
      /** Load levels without a decision; absent where the run does not ask which setting to take. */
      readonly choices?: readonly OpenChoice[];
      /** Absent where nobody looks. */
      readonly found?: FoundSoFar;
      /** Set while the run searches; null without a best setting so far. */
      readonly search?: SearchSoFar | null;
    }
  /** The cells that the run does without from the next round on, and those that are measured again. */
  | { readonly kind: 'arms-left'; readonly gone: Left; readonly back: Left }
  /**
   * The variants that the next rounds try or confirm, and how many others only say what each change of the one to take gives (absent:
   * none); with `changes` not each of them.
   */
  | {
      readonly kind: 'proposed';
      readonly stage: Proposal['stage'];
      readonly variants: readonly string[];
      readonly parts?: number;
      readonly changes?: NonNullable<Proposal['changes']>;
    }
  /** Server or service refused a variant that was proposed, and the round begins again without it. */
  | { readonly kind: 'refused'; readonly variant: string; readonly reason: string }
  /** The budget is over, and what is open should be settled within this time. */
  | { readonly kind: 'beyond-budget'; readonly leftMs: number }
  /** How long warm-up and slices are from the next round on. */
  | { readonly kind: 'lengths'; readonly lengths: LengthsRecord }
  | { readonly kind: 'warning'; readonly warning: RunWarning }
  | { readonly kind: 'run-ended'; readonly reason: StopReason };

export type EmitEvent = (event: RunEvent) => void;
