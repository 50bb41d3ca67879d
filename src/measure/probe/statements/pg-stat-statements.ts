import { selectList } from '../postgres/column-choices.ts';
import { columnsOf, hiddenStatistics } from '../postgres/sql-session.ts';
import { extensionSchema } from './extension.ts';
import { type OpenStatements, type StatementCounts, statementCounters } from './model.ts';
import { statementsProbe } from './probe.ts';

/** Which users' and levels' lines there are differs from version to version; together they are the statement's. */
const KEY = "concat_ws(' ', userid, queryid, toplevel)";

/** pg_stat_statements, in any version from 1.4; a statement is counted at its end, without a lag. */
export const openPgStatStatements: OpenStatements = async (session) => {
  const schema = await extensionSchema(session, 'pg_stat_statements');
  if ('absent' in schema) return schema.absent;
  const hidden = await hiddenStatistics(session);
  if (hidden !== null) return hidden;
  const columns = await columnsOf(session, `${schema.name}.pg_stat_statements`);
  const key = columns.has('toplevel') ? KEY : KEY.replace(', toplevel', '');
  // Without texts, which are in a file that is read whole each time.
  const readSql = `
    SELECT ${key} AS key, queryid::text AS id, ${selectList(statementCounters, columns)}
    FROM ${schema.name}.pg_stat_statements(false) WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND queryid IS NOT NULL`;
  // Throws where the extension is created but its library is not loaded: only reading it tells.
  await session.rows(readSql, ['']);
  return {
    extension: 'pg_stat_statements',
    histogramBounds: [],
    keepsMs: Number.POSITIVE_INFINITY,
    async read(database) {
      const rows = await session.rows<StatementCounts & { key: string; id: string }>(readSql, [database]);
      return new Map(rows.map(({ key, id, ...counts }) => [key, { id, counts }]));
    },
    async texts(database, ids) {
      const rows = await session.rows<{ id: string; text: string }>(
        `SELECT DISTINCT ON (queryid) queryid::text AS id, query AS text FROM ${schema.name}.pg_stat_statements
         WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND queryid = ANY($2::bigint[])`,
        [database, ids],
      );
      return new Map(rows.map(({ id, text }) => [id, text]));
    },
  };
};

export const pgStatStatements = statementsProbe('pg-stat-statements', openPgStatStatements, {
  preload: 'pg_stat_statements',
});
