import { PgsweepError } from '../../base/errors.ts';
import { listOf, names } from '../../base/schema-values.ts';
import { findIndex, type Index, indexOf, listIndexes } from '../indexes.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { type RunSql, requireSeen } from '../sql.ts';

const schema = names.optional().describe('indexes that are kept up by every write and used by no query');

export const hideIndex: TreatmentKind<'hideIndex', typeof schema> = {
  schema,
  notLive: 'it is that of an arm with a database of its own (expected live: { hideIndex: ... })',
  read: listOf,
  mistakes: (_, { hideIndex, dropIndex }) =>
    hideIndex
      .filter((name) => dropIndex.includes(name))
      .map((name) => ({
        at: [],
        key: 'hideIndex',
        message: `${name} cannot be both dropped and hidden: expected one of dropIndex, hideIndex`,
      })),
  steps: (indexes) => indexes.map(stepOf),
};

function stepOf(wanted: string): Step {
  return {
    words: `hides ${wanted}`,
    changesIndex: true,
    async apply(run) {
      const hidden = await setHidden(run, wanted, true);
      const { name } = hidden;
      return async (look) => {
        const index = await indexOf(look, hidden);
        requireSeen(index?.kept === true && !index.valid, `${name} was hidden and can still be used`);
        const unique = index.unique ? ', still unique' : '';
        return { kind: 'hideIndex', name, found: `${name} hidden (${index.size}${unique})` };
      };
    },
  };
}

/**
 * Hides an index from the planner, or shows it again. Writes keep up an index that is not valid, as they must for one
 * that is being built; the planner passes it over. Throws PgsweepError('scenario').
 */
export async function setHidden(run: RunSql, wanted: string, hidden: boolean): Promise<Index> {
  const index = findIndex(await listIndexes(run), wanted);
  if (index.partitioned) {
    throw new PgsweepError('scenario', `${index.name} cannot be hidden: it is an index of a partitioned table`, {
      hint: 'Hide the indexes of its partitions.',
    });
  }
  if (!hidden && !index.valid && !index.kept)
    throw new PgsweepError('scenario', `${index.name} is not kept up, so it cannot be shown`);
  await run('UPDATE pg_index SET indisvalid = $2 WHERE indexrelid = $1 AND indisvalid <> $2', [index.oid, !hidden]);
  return index;
}
