import type { Clock } from '../base/clock.ts';
import type { Reaper } from '../base/reaper.ts';
import type { JournalWriter } from '../journal/journal.ts';
import type { RoundRecord } from '../journal/records.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { Arm } from '../plan/arms.ts';
import type { ConditionsProbe } from '../probe/conditions.ts';
import type { DatabaseSampler } from '../probe/pg-stat-database.ts';
import type { SliceCounters } from '../probe/slice-counters.ts';
import type { StartedTarget, StartTarget } from '../target/target.ts';
import type { ArmDatabases } from './arm-databases.ts';
import type { ArmIndices } from './arm-indices.ts';
import type { EmitEvent } from './events.ts';
import type { RunProbes } from './run-probes.ts';
import type { SliceJudge } from './slice-judge.ts';

/** Says of the rates so far, one for each short batch from the start of a process, whether they have become flat. */
export type IsWarm = (ratesPerBatch: readonly number[]) => boolean;

/** Everything that a round touches. */
export interface RoundContext {
  readonly scenario: ResolvedScenario;
  readonly arms: readonly Arm[];
  readonly seed: number;
  readonly folder: string;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly startTarget: StartTarget;
  readonly load: LoadGenerator;
  readonly journal: JournalWriter;
  readonly emit: EmitEvent;
  readonly signal: AbortSignal;
  readonly conditions: ConditionsProbe;
  readonly judge: SliceJudge;
  /** Until when, on the clock, void slices are measured again. */
  readonly repeatUntilMs: number;
  readonly isWarm: IsWarm;
  /** Null for a `url` target: its database is not ours. */
  readonly databases: ArmDatabases | null;
  /** Null where the stack has no OpenSearch. */
  readonly indices: ArmIndices | null;
  readonly counters: SliceCounters | null;
  readonly sampler: DatabaseSampler | null;
  /** Null where none are wanted. */
  readonly probes: RunProbes | null;
}

/** An arm that is alive. */
export interface LiveArm {
  readonly arm: Arm;
  readonly database: string;
  readonly target: StartedTarget;
}

export type Phases = { -readonly [Phase in keyof RoundRecord['phases']]: number };

/** Does some work, and adds its time to a phase. */
export async function timed<T>(clock: Clock, phases: Phases, phase: keyof Phases, work: () => Promise<T>): Promise<T> {
  const start = clock.nowMs();
  const result = await work();
  phases[phase] += clock.nowMs() - start;
  return result;
}
