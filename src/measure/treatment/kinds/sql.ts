import { z } from 'zod';
import { list, name, strict, withoutUndefined } from '../../../base/schema-values.ts';
import type { TreatmentSql } from '../../../journal/scenario-record.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { isOfCluster } from '../of-cluster.ts';
import { oneLine, runScript } from '../sql.ts';

const applied = strict({
  apply: name.describe('run before the service starts'),
  undo: name
    .optional()
    .describe(
      "run when it has ended, for what reaches beyond the variant's database; each arm then has its own server",
    ),
});

const schema = z
  .union([name, applied, list(z.union([name, applied]))], {
    error: 'expected SQL, { apply, undo }, or a list of those',
  })
  .transform((asked) =>
    [asked].flat().map((one): TreatmentSql => (typeof one === 'string' ? { apply: one } : withoutUndefined(one))),
  )
  .optional()
  .describe('anything else to change in the database of this variant');

export const sql: TreatmentKind<'sql', typeof schema> = {
  schema,
  notLive: 'it is run once, in a separate database (expected live: { sql: ... })',
  read: (written = []) => written,
  steps: (statements) => statements.map(sqlStep),
};

/** Runs a statement, or several. */
export function sqlStep({ apply: statement, undo }: TreatmentSql): Step {
  return {
    words: `runs ${oneLine(statement)}`,
    async apply(run) {
      await runScript(run, statement);
      return async () => ({ kind: 'sql', name: statement, found: `ran ${oneLine(statement)}` });
    },
    ...(undo !== undefined && { undo }),
    ...(isOfCluster(statement) && { reachesBeyond: true }),
  };
}
