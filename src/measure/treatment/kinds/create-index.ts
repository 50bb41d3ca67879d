import { PgsweepError } from '../../../base/errors.ts';
import { statements } from '../../../base/schema-values.ts';
import { indexOf, listIndexes } from '../indexes.ts';
import type { Step, TreatmentKind } from '../kind.ts';
import { oneLine, quotedName, requireSeen, runStatement } from '../sql.ts';

const schema = statements.optional().describe('CREATE INDEX statements');

export const createIndex: TreatmentKind<'createIndex', typeof schema> = {
  schema,
  notLive: 'an index would have to be built before every turn (make it by dataset, and let the others hide it)',
  read: (written = []) => written,
  mistakes: (_, { createIndex }) =>
    createIndex.flatMap((statement, index) => {
      const message = createIndexMistake(statement);
      return message === null ? [] : [{ at: ['createIndex', index], message }];
    }),
  steps: (written) => written.map(stepOf),
};

function stepOf(statement: string): Step {
  return {
    words: `runs ${oneLine(statement)}`,
    changesIndex: true,
    async apply(run) {
      const before = new Set((await listIndexes(run)).map(({ oid }) => oid));
      await runStatement(run, statement);
      // One of a partitioned table has made one of each partition, too.
      const made = (await listIndexes(run)).find(({ oid, ofPartition }) => !before.has(oid) && !ofPartition);
      if (made === undefined) {
        throw new PgsweepError('scenario', `${oneLine(statement)} has made no index`, {
          hint: 'With IF NOT EXISTS it makes none where the name is taken.',
        });
      }
      const { name, schema, table } = made;
      const unusable = `${name} was created and cannot be used`;
      // Here alone: a later step may hide it.
      requireSeen(made.valid, unusable);
      // The planner knows nothing of an expression until then, and autovacuum, which would do it in time, is off.
      if (made.onExpression) await run(`ANALYZE ${quotedName(schema)}.${quotedName(table)}`);
      return async (look) => {
        const index = await indexOf(look, made);
        requireSeen(index?.kept === true, unusable);
        return { kind: 'createIndex', name, found: `${name} created (${index.size})` };
      };
    },
  };
}

/** The mistake in a statement that should be CREATE INDEX, for people; null where there is none. */
export function createIndexMistake(statement: string): string | null {
  // What is quoted or a comment may hold anything.
  const bare = statement
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, 'x')
    .trim()
    .replace(/;$/, '');
  if (!/^CREATE\s+(UNIQUE\s+)?INDEX\b/i.test(bare)) {
    return 'expected a statement such as CREATE INDEX my_index ON my_table (my_column); anything else goes to sql';
  }
  if (bare.includes(';')) return 'expected one statement; more go into a list';
  if (/^CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\b/i.test(bare)) {
    return 'leave out CONCURRENTLY: nothing else uses the copy of the database yet, so it would only take longer';
  }
  return null;
}
