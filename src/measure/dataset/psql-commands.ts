import { ScriptError } from '../../base/files/sql-script.ts';

/** Commands that change what psql prints, or what it accepts: nothing in the database. */
const harmless =
  /^\\(?:restrict|unrestrict|echo|qecho|warn|pset|timing|x|t|a|f|H|C|T|o|out|conninfo|errverbose|l\+?|list|d[\w+]*|(?:un)?set\s+[A-Z][A-Z_]*)(?=\s|$)/;

/** From then on each statement would wait for a COMMIT. */
const autocommitOff = /^\\set\s+AUTOCOMMIT(?=\s)(?!\s+'?(?:on|t|tr|tru|true|y|ye|yes|1)'?$)/i;

/** Where a file is named in a scenario. */
export type SqlFileKey = 'dataset' | 'load.job';

const runPsql = (key: SqlFileKey): string =>
  `Or run psql itself: ${key}: { command: 'psql --set ON_ERROR_STOP=1 "$DATABASE_URL" -f FILE' }.`;

const refused = (key: SqlFileKey): readonly (readonly [command: RegExp, hint: string])[] => [
  [/^\\c(?:onnect)?(?=\s|$)/, "The database is the bench's: make the dump without --create."],
  [
    /^\\(?:i|ir|include|include_relative)(?=\s|$)/,
    `${key === 'dataset' ? 'List that file in dataset.sql, which takes several. ' : ''}${runPsql(key)}`,
  ],
  [
    autocommitOff,
    key === 'dataset'
      ? 'Use BEGIN and COMMIT, or dataset: { singleTransaction: true }.'
      : `Use BEGIN and COMMIT. ${runPsql(key)}`,
  ],
  [/^\\copy(?=\s|$)/, `Use COPY ... FROM stdin, with the rows below it. ${runPsql(key)}`],
];

/**
 * A command of psql as SQL; null where it changes nothing in a database. Throws ScriptError for what only psql can do.
 */
export function statementOfCommand(written: string, offset: number, key: SqlFileKey = 'dataset'): string | null {
  const command = written.replace(/\\\\$/, '').trim();
  if (harmless.test(command) && !autocommitOff.test(command)) return null;
  const [, encoding] = /^\\encoding\s+'?([\w-]+)'?\s*;?$/.exec(command) ?? [];
  if (encoding !== undefined) return `SET client_encoding TO '${encoding}'`;
  const [, hint = `It takes SQL. ${runPsql(key)}`] = refused(key).find(([pattern]) => pattern.test(command)) ?? [];
  throw new ScriptError(`${command} is a command of psql, not SQL`, offset, hint);
}
