import { messageOf, PgsweepError } from '../../base/errors.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../journal/treatment-records.ts';
import { applySteps, type Step } from './kind.ts';
import { requireSettings } from './kinds/settings.ts';
import { stepsOf } from './kinds.ts';
import { type RunSql, runScript, type TreatedDatabase } from './sql.ts';

/**
 * Changes an arm's database as its variant says, and returns what a new connection finds changed. Throws
 * PgsweepError('scenario') for what cannot be done, or was done and is not seen; what had been done beyond the database
 * is then undone.
 */
export async function applyTreatment(database: TreatedDatabase, variant: Variant): Promise<AppliedTreatment[]> {
  const steps = stepsOf(variant.treatment);
  let done = 0;
  try {
    return await applySteps(database, steps, () => done++);
  } catch (error) {
    // Of one that failed, some statements may have been run.
    await undo(database, steps.slice(0, done + 1), () => {}).catch(() => {});
    throw ofVariant(variant, error);
  }
}

/** Makes sure that the server has the settings that variants change. Throws PgsweepError('scenario') with the nearest name. */
export async function requireVariantSettings(run: RunSql, variants: readonly Variant[]): Promise<void> {
  for (const variant of variants) {
    try {
      await requireSettings(run, Object.keys(variant.treatment?.settings ?? {}));
    } catch (error) {
      throw ofVariant(variant, error);
    }
  }
}

/** Runs the statements that undo the treatment, last first. Throws PgsweepError('scenario'). */
export async function undoTreatment(database: TreatedDatabase, variant: Variant): Promise<void> {
  try {
    await undo(database, stepsOf(variant.treatment));
  } catch (error) {
    throw ofVariant(variant, error);
  }
}

async function undo(
  database: TreatedDatabase,
  done: readonly Step[],
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<void> {
  const statements = done.flatMap(({ undo: statement }) => statement ?? []).reverse();
  if (statements.length === 0) return;
  await database.connect(async (run) => {
    for (const statement of statements) await runScript(run, statement).catch(onError);
  });
}

function ofVariant(variant: Variant, error: unknown): unknown {
  const message = `variant "${variant.name}": ${messageOf(error)}`;
  if (error instanceof PgsweepError) {
    const { code, hint, cause } = error;
    return new PgsweepError(code, message, { ...(hint !== undefined && { hint }), cause });
  }
  return new PgsweepError('stack', message, { hint: 'See the log of Postgres.', cause: error });
}
