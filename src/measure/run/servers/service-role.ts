import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { PgsweepError } from '../../../base/errors.ts';
import { eachPart, ScriptError } from '../../../base/files/sql-script.ts';
import { rememberSecret } from '../../../base/secrets.ts';
import type { ServiceRole } from '../../../journal/run/provenance-record.ts';
import type { DatasetSpec } from '../../../journal/scenario-record.ts';
import { bytesOfSqlFile, textToScan } from '../../dataset/sql-text.ts';
import { withConnection, withOwnConnection } from '../../stack/common/query.ts';

/** An ordinary role, as which services reach their databases. */
export interface Login {
  readonly name: string;
  readonly password: string;
  /** True if it owns what the data set has made. */
  readonly owns: boolean;
}

/** Server on which the data is loaded. */
interface Server {
  readonly own: boolean;
  adminUrl(database?: string): string;
}

const quoted = pg.escapeIdentifier;

/** The role that a data set asks for; undefined where the service has the server's user. */
export function roleOf(spec: DatasetSpec): string | undefined {
  return 'role' in spec ? spec.role : undefined;
}

/**
 * Makes the role before the data is loaded, so that files can grant it something; files that make it themselves are left to do
 * it. Throws PgsweepError `dataset` on a server of the user: roles belong to all of its databases.
 */
export async function makeRole(spec: DatasetSpec, server: Server): Promise<void> {
  const role = roleOf(spec);
  if (role === undefined) return;
  if (!server.own) {
    throw new PgsweepError(
      'dataset',
      `dataset.role: ${role} would be a role of the whole server, which is not pgsweep's`,
      {
        hint: 'Use --stack embedded; or leave dataset.role out, and give --postgres the URL of an ordinary role with CREATEDB.',
      },
    );
  }
  if (await isMadeByFiles(spec, role)) return;
  await withOwnConnection(server.adminUrl(), (run) => run(createRole(role)));
}

/** A role that is there, such as one that a variant's release has loaded before, stays as it is. */
function createRole(role: string): string {
  return `DO ${pg.escapeLiteral(`BEGIN CREATE ROLE ${quoted(role)}; EXCEPTION WHEN duplicate_object THEN NULL; END`)}`;
}

async function isMadeByFiles(spec: DatasetSpec, role: string): Promise<boolean> {
  const files = spec.kind === 'sql' ? spec.files : [];
  const name = role.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const makes = `create\\s+(?:role|user|group)\\s+(?:${name}(?![\\w$])|"${name}")`;
  const word = new RegExp(`\\b${makes}`, 'i');
  // A comment, a text or a function that is never called makes none; the body of DO is run.
  const statement = new RegExp(`^(?:${makes}|do\\b[\\s\\S]*\\b${makes})`, 'i');
  for (const file of files) {
    const bytes = await bytesOfSqlFile(file);
    for (const sql of statementsWith(word, bytes)) if (statement.test(sql)) return true;
  }
  return false;
}

/** Statements, without comments, of a file in which a pattern occurs, up to a mistake in the file: loading it reports that. */
function* statementsWith(pattern: RegExp, bytes: Buffer): Generator<string> {
  // Most files have none, and to split a large one takes long.
  if (!pattern.test(bytes.toString())) return;
  try {
    for (const part of eachPart(textToScan(bytes, 'UTF8', 0))) {
      if (part.kind === 'statement') yield withoutComments(bytes.toString('utf8', part.head, part.end));
    }
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
  }
}

function withoutComments(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
}

/**
 * Lets the role log in once the data is loaded. Where the data set has given it nothing, it becomes the owner of all that was
 * made.
 */
export async function openRole(role: string, server: Server, database: string): Promise<Login> {
  const password = randomBytes(18).toString('base64url');
  rememberSecret(password);
  await withOwnConnection(server.adminUrl(), async (run) => {
    await run(createRole(role));
    await run(`ALTER ROLE ${quoted(role)} LOGIN PASSWORD '${password}'`);
  });
  const owns = await withOwnConnection(server.adminUrl(database), async (run) => {
    const [row] = await run(HAS_SOMETHING_SQL, [role]);
    if (row?.has === true) return false;
    for (const { sql } of await run(OWN_ALL_SQL, [role])) await run(String(sql));
    return true;
  });
  return { name: role, password, owns };
}

/** True where it owns something in this database, is granted something, or belongs to a role. */
const HAS_SOMETHING_SQL = `
  SELECT EXISTS (
    SELECT FROM pg_shdepend JOIN pg_database ON pg_database.oid = dbid AND datname = current_database()
    WHERE refclassid = 'pg_authid'::regclass AND refobjid = r.oid AND deptype IN ('o', 'a')
  ) OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid) AS has
  FROM pg_roles r WHERE rolname = $1`;

/** Schemas, tables, views, sequences, functions and types, but for those of Postgres and of extensions. */
const OWN_ALL_SQL = `
  WITH own AS (
    SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  ), of_extensions AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
  ), objects AS (
    SELECT 'pg_namespace'::regclass AS class, oid, 'SCHEMA' AS kind, quote_ident(nspname) AS name, 0 AS place
    FROM pg_namespace WHERE oid IN (SELECT oid FROM own)
    UNION ALL
    SELECT 'pg_class'::regclass, oid,
      CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
        WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, oid::regclass::text, 1
    FROM pg_class c
    WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND relnamespace IN (SELECT oid FROM own)
      -- The sequence of a column goes with its table.
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
        AND c.relkind = 'S' AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT 'pg_proc'::regclass, oid, 'ROUTINE', oid::regprocedure::text, 2
    FROM pg_proc WHERE pronamespace IN (SELECT oid FROM own) AND prokind IN ('f', 'p')
    UNION ALL
    SELECT 'pg_type'::regclass, t.oid, 'TYPE', t.oid::regtype::text, 3
    FROM pg_type t LEFT JOIN pg_class c ON c.oid = typrelid
    WHERE typnamespace IN (SELECT oid FROM own) AND (typtype IN ('e', 'd', 'r') OR c.relkind = 'c')
  )
  SELECT format('ALTER %s %s OWNER TO %I', kind, name, $1::text) AS sql
  FROM objects WHERE (class, oid) NOT IN (SELECT classid, objid FROM of_extensions)
  ORDER BY place`;

const FACTS_SQL = `
  SELECT rolname AS name, rolsuper AS "isSuperuser", count(c.oid)::int AS secured,
    (count(c.oid) FILTER (WHERE rolsuper OR rolbypassrls
      OR (pg_has_role(r.oid, relowner, 'USAGE') AND NOT relforcerowsecurity)))::int AS bypassed
  FROM pg_roles r LEFT JOIN pg_class c ON c.relrowsecurity
  WHERE rolname = coalesce($1, current_user) GROUP BY r.oid, rolname, rolsuper`;

/** The role that services will have, and what row-level security it passes by, in a database that is loaded. */
export async function readRole(login: Login | null, databaseUrl: string): Promise<ServiceRole> {
  const [row] = await withConnection(databaseUrl, (run) => run(FACTS_SQL, [login?.name ?? null]));
  const { name, isSuperuser, secured, bypassed } = row ?? {};
  return {
    name: String(name),
    isSuperuser: isSuperuser === true,
    secured: Number(secured),
    bypassed: Number(bypassed),
  };
}

/** The URL of a database, for the role; as it is where there is none. */
export function urlFor(login: Login | null, databaseUrl: string): string {
  if (login === null) return databaseUrl;
  const url = new URL(databaseUrl);
  url.username = encodeURIComponent(login.name);
  url.password = login.password;
  return url.href;
}
