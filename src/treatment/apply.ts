import { messageOf, PgsweepError } from '../base/errors.ts';
import type { Treatment, Variant } from '../journal/scenario-record.ts';
import type { AppliedTreatment } from '../journal/treatment-records.ts';
import { databaseSettings, oneLine } from './changes.ts';
import { findIndex, type Index, listIndexes, sqlNameOf } from './indexes.ts';
import { alterDatabase, requireSettings } from './settings.ts';
import { quotedName, type RunSql, runStatement, type TreatedDatabase } from './sql.ts';
import { verifyTreatment } from './verify.ts';

/** What was done, and what the catalog must show for it. */
export interface Done {
  readonly dropped: readonly Index[];
  readonly created: readonly Index[];
  readonly hidden: readonly Index[];
}

/**
 * Changes an arm's database as its variant says, and returns what a new connection finds changed. Throws
 * PgsweepError('scenario') for what cannot be done, or was done and is not seen; what had been done beyond the database
 * is then undone.
 */
export async function applyTreatment(database: TreatedDatabase, variant: Variant): Promise<AppliedTreatment[]> {
  const { treatment } = variant;
  if (treatment === undefined) return [];
  let applied = 0;
  try {
    const done = await database.connect(async (run) => {
      for (const setting of databaseSettings(treatment)) await alterDatabase(run, database.name, setting);
      const changed = await changeIndexes(run, treatment);
      for (const { apply } of treatment.sql) {
        await runStatement(run, apply);
        applied++;
      }
      return changed;
    });
    const verified = await database.connect((run) => verifyTreatment(run, treatment, done));
    return [...verified, ...treatment.sql.map(({ apply }) => sqlApplied(apply))];
  } catch (error) {
    await undo(database, treatment.sql.slice(0, applied)).catch(() => {});
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

/** Runs what the treatment's SQL says undoes it, last first. Throws PgsweepError('scenario'). */
export async function undoTreatment(database: TreatedDatabase, variant: Variant): Promise<void> {
  try {
    await undo(database, variant.treatment?.sql ?? []);
  } catch (error) {
    throw ofVariant(variant, error);
  }
}

async function undo(database: TreatedDatabase, done: Treatment['sql']): Promise<void> {
  const statements = done.flatMap(({ undo: statement }) => statement ?? []).reverse();
  if (statements.length === 0) return;
  await database.connect(async (run) => {
    for (const statement of statements) await runStatement(run, statement);
  });
}

async function changeIndexes(run: RunSql, { dropIndex, createIndex, hideIndex }: Treatment): Promise<Done> {
  const dropped: Index[] = [];
  const created: Index[] = [];
  const hidden: Index[] = [];
  if (dropIndex.length + createIndex.length + hideIndex.length === 0) return { dropped, created, hidden };
  for (const name of dropIndex) dropped.push(await drop(run, findIndex(await listIndexes(run), name)));
  for (const statement of createIndex) created.push(await create(run, statement));
  for (const name of hideIndex) hidden.push(await hide(run, findIndex(await listIndexes(run), name)));
  return { dropped, created, hidden };
}

async function drop(run: RunSql, index: Index): Promise<Index> {
  if (index.constraint !== null) {
    throw new PgsweepError(
      'scenario',
      `${index.name} cannot be dropped: it is the index of the constraint ${index.constraint} of ${index.table}`,
      {
        hint: `To do without the constraint: sql: ALTER TABLE ${quotedName(index.table)} DROP CONSTRAINT ${quotedName(index.constraint)}. To do without its use by queries: hideIndex.`,
      },
    );
  }
  await runStatement(run, `DROP INDEX ${sqlNameOf(index)}`);
  return index;
}

async function create(run: RunSql, statement: string): Promise<Index> {
  const before = new Set((await listIndexes(run)).map(({ oid }) => oid));
  await runStatement(run, statement);
  const made = (await listIndexes(run)).find(({ oid }) => !before.has(oid));
  if (made === undefined) {
    throw new PgsweepError('scenario', `${oneLine(statement)} has made no index`, {
      hint: 'With IF NOT EXISTS it makes none where the name is taken.',
    });
  }
  // The planner knows nothing of an expression until then, and autovacuum, which would do it in time, is off.
  if (made.onExpression) await run(`ANALYZE ${quotedName(made.schema)}.${quotedName(made.table)}`);
  return made;
}

/** Writes keep up an index that is not valid, as they must for one that is being built; the planner passes it over. */
async function hide(run: RunSql, index: Index): Promise<Index> {
  if (index.partitioned) {
    throw new PgsweepError('scenario', `${index.name} cannot be hidden: it is an index of a partitioned table`, {
      hint: 'Hide the indexes of its partitions.',
    });
  }
  await run('UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1', [index.oid]);
  return index;
}

function sqlApplied(statement: string): AppliedTreatment {
  return { kind: 'sql', name: statement, found: `ran ${oneLine(statement)}` };
}

function ofVariant(variant: Variant, error: unknown): unknown {
  const message = `variant "${variant.name}": ${messageOf(error)}`;
  if (error instanceof PgsweepError) {
    const { code, hint, cause } = error;
    return new PgsweepError(code, message, { ...(hint !== undefined && { hint }), cause });
  }
  return new PgsweepError('stack', message, { hint: 'See the log of Postgres.', cause: error });
}
