import { beginDifference, postgresProbe } from '../postgres/postgres-probe.ts';
import { keepSqlSession } from '../postgres/sql-session.ts';
import type { ProbeKind } from '../probe.ts';
import { warnOnce } from '../warn-once.ts';
import { type OpenStatements, type StatementsSource, statementsBetween } from './model.ts';
import { MOST_STATEMENTS, readingOf, statementValues } from './reading.ts';

/** The statements of the arm's database over a slice, those with the most time first, from either extension. */
export function statementsProbe(
  name: string,
  openSource: OpenStatements,
  facts: Pick<ProbeKind, 'preload'> = {},
): ProbeKind {
  return postgresProbe(
    name,
    ({ postgres, onWarning }) =>
      keepSqlSession(postgres.adminUrl(), async (session) => {
        const source = await openSource(session);
        if (typeof source === 'string') return source;
        return {
          begin: beginDifference({
            attempt: warnOnce(name, onWarning),
            read: ({ database }) => source.read(database),
            async tell(before, after, { arm, elapsedMs }) {
              if (elapsedMs > source.keepsMs) throw tooLong(source, elapsedMs);
              const slice = statementsBetween(before, after);
              const top = slice.statements.slice(0, MOST_STATEMENTS);
              const named = [...top, ...slice.errors].map(({ id }) => id).concat(...top.map(({ planIds }) => planIds));
              const texts = await source.texts(arm.database, [...new Set(named)]);
              return readingOf(slice, texts, source);
            },
          }),
          close: session.close,
        };
      }),
    { ...facts, values: statementValues },
  );
}

function tooLong({ extension, keepsMs }: StatementsSource, elapsedMs: number): Error {
  return new Error(
    `${extension} keeps what ran for ${keepsMs / 1000} s (bucket time x buckets but one), the slice took ${Math.round(elapsedMs / 1000)} s`,
  );
}
