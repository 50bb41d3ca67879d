import { PgsweepError } from '../../../base/errors.ts';
import { names } from '../../../base/schema-values.ts';
import { findIndex, indexOf, listIndexes } from '../indexes.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { requireSeen } from '../sql.ts';

const schema = names.optional().describe('indexes that are kept up by every write and used by no query');

export const hideIndex: TreatmentKind<'hideIndex', typeof schema> = {
  schema,
  notLive: 'it belongs to an arm with its own database (expected live: { hideIndex: ... })',
  read: (written = []) => written,
  mistakes: (_, { hideIndex, dropIndex }) =>
    hideIndex
      .filter((name) => dropIndex.includes(name))
      .map((name) => ({
        at: [],
        key: 'hideIndex',
        message: `${name} cannot be both dropped and hidden: expected one of dropIndex, hideIndex`,
      })),
  steps: (indexes) => indexes.map((name) => visibilityStep(name, true)),
};

/**
 * Hides an index from the planner, or shows it again. Writes keep up an index that is not valid, as they must for one
 * that is being built; the planner passes it over.
 */
export function visibilityStep(wanted: string, hidden: boolean): Step {
  return {
    words: `${hidden ? 'hides' : 'shows'} ${wanted}`,
    changesIndex: true,
    async apply(run) {
      const index = findIndex(await listIndexes(run), wanted);
      const { name, oid } = index;
      if (index.partitioned) {
        throw new PgsweepError('scenario', `${name} cannot be hidden: it is an index of a partitioned table`, {
          hint: 'Hide the indexes of its partitions.',
        });
      }
      requireSeen(hidden || index.valid || index.kept, `${name} is not kept up, so it cannot be shown`);
      await run('UPDATE pg_index SET indisvalid = $2 WHERE indexrelid = $1 AND indisvalid <> $2', [oid, !hidden]);
      return async (look) => {
        const now = await indexOf(look, index);
        const otherwise = `${name} was ${hidden ? 'hidden and can still' : 'shown and cannot'} be used`;
        requireSeen(now?.kept === true && now.valid !== hidden, otherwise);
        const unique = hidden && now.unique ? ', still unique' : '';
        return { kind: 'hideIndex', name, found: `${name} ${hidden ? 'hidden' : 'shown'} (${now.size}${unique})` };
      };
    },
  };
}
