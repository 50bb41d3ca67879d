import type { z } from 'zod';
import type { Treatment } from '../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../journal/treatment-records.ts';
import type { RunSql, TreatedDatabase } from './sql.ts';

/** Looks, on a new connection, for what was done; null where there is nothing to tell. Throws PgsweepError('scenario') where it is not there. */
export type Verify = (run: RunSql) => Promise<AppliedTreatment | null>;

/** One change of an arm's database. */
export interface Step {
  /** Description for people: `drops ix_a`, `shared_buffers = 1GB (own server)`. */
  readonly words: string;
  /** True if it changes an index, so sizes and use of indexes are worth recording. */
  readonly changesIndex?: true;
  /** Throws PgsweepError('scenario') for what cannot be done. */
  apply(run: RunSql, database: TreatedDatabase): Promise<Verify>;
  /** The statement that undoes it when the arm has ended; needed for what reaches beyond the arm's own database. All arms then have their own servers. */
  readonly undo?: string;
  /** True if it changes the whole server, also where nothing undoes it. */
  readonly reachesBeyond?: true;
}

/** A mistake in a treatment that its schema allows. */
export interface TreatmentMistake {
  /** Below the variant. */
  readonly at: readonly (string | number)[];
  readonly key?: string;
  readonly message: string;
}

/** One key of a variant that changes its database. `kinds.ts` lists them all. */
export interface TreatmentKind<Key extends keyof Treatment, Schema extends z.ZodType> {
  /** The schema of the key, which may be left out. */
  readonly schema: Schema;
  /** Why a running service cannot be switched to it, and what to write instead. */
  readonly notLive: string;
  /** As the journal records it; undefined is not recorded. */
  read(written: z.output<Schema>): Treatment[Key];
  mistakes?(written: z.output<Schema>, treatment: Treatment): readonly TreatmentMistake[];
  /** In the order in which they are made. */
  steps(value: NonNullable<Treatment[Key]>): readonly Step[];
}

/** Makes changes in their order, and returns what a new connection finds of them. Throws what they throw. */
export async function applySteps(
  database: TreatedDatabase,
  steps: readonly Step[],
  onDone: (step: Step) => void = () => {},
): Promise<AppliedTreatment[]> {
  if (steps.length === 0) return [];
  const verifies: Verify[] = [];
  await database.connect(async (run) => {
    for (const step of steps) {
      verifies.push(await step.apply(run, database));
      onDone(step);
    }
  });
  return database.connect(async (run) => {
    const applied: AppliedTreatment[] = [];
    for (const verify of verifies) applied.push(...[await verify(run)].filter((found) => found !== null));
    return applied;
  });
}
