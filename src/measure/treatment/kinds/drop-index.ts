import { PgsweepError } from '../../../base/errors.ts';
import { names } from '../../../base/schema-values.ts';
import { findIndex, type Index, indexOf, listIndexes, sqlNameOf } from '../indexes.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { quotedName, requireSeen, runStatement } from '../sql.ts';

const schema = names.optional().describe('indexes that this variant does without');

export const dropIndex: TreatmentKind<'dropIndex', typeof schema> = {
  schema,
  notLive: 'an index that is dropped would have to be built again before every turn (hideIndex keeps it up)',
  read: (written = []) => written,
  steps: (indexes) => indexes.map(stepOf),
};

function stepOf(wanted: string): Step {
  return {
    words: `drops ${wanted}`,
    changesIndex: true,
    async apply(run) {
      const index = findIndex(await listIndexes(run), wanted);
      refuseConstraint(index);
      await runStatement(run, `DROP INDEX ${sqlNameOf(index)}`);
      const { name } = index;
      return async (look) => {
        requireSeen((await indexOf(look, index)) === undefined, `${name} was dropped and is still there`);
        return { kind: 'dropIndex', name, found: `${name} dropped` };
      };
    },
  };
}

function refuseConstraint({ name, schema, table, constraint }: Index): void {
  if (constraint === null) return;
  const ofTable = `${quotedName(schema)}.${quotedName(table)}`;
  throw new PgsweepError(
    'scenario',
    `${name} cannot be dropped: it is the index of the constraint ${constraint} of ${table}`,
    {
      hint: `To do without the constraint: sql: ALTER TABLE ${ofTable} DROP CONSTRAINT ${quotedName(constraint)}. To do without its use by queries: hideIndex.`,
    },
  );
}
