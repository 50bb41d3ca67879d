import type { SqlSession } from '../postgres/sql-session.ts';

/**
 * The schema, quoted, of an extension in this database; or why it cannot be used. What such an extension collects is the
 * whole server's, so one database in which it is created is enough.
 */
export async function extensionSchema(
  session: SqlSession,
  extension: string,
): Promise<{ readonly name: string } | { readonly absent: string }> {
  const [created] = await session.rows<{ name: string }>(
    `SELECT quote_ident(nspname) AS name FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = $1`,
    [extension],
  );
  if (created !== undefined) return created;
  const [server] = await session.rows<{ installed: boolean; preloaded: string; database: string }>(
    `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = $1) AS installed, current_database() AS database,
       current_setting('shared_preload_libraries') AS preloaded`,
    [extension],
  );
  if (!server?.installed) return { absent: `this server has no extension ${extension} to offer` };
  if (!server.preloaded.split(/[\s,]+/).includes(extension)) {
    return { absent: `${extension} is not among the server's shared_preload_libraries` };
  }
  return { absent: `the extension is not in the database ${server.database}: CREATE EXTENSION ${extension}` };
}
