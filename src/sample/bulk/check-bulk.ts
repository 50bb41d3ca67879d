import pg from 'pg';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import type { BulkCheck, BulkRecord } from '../../journal/bulk-records.ts';
import { endpointOf } from '../dataset/edfi-names.ts';

const counts = 'SELECT resource_name, count(*)::int AS documents FROM public.documents GROUP BY resource_name';

const integrity = `
  SELECT
    (SELECT count(*) - count(DISTINCT document_id) FROM public.documents)::int AS documents_twice,
    (SELECT count(*) - count(DISTINCT alias_id) FROM public.aliases)::int AS aliases_twice,
    (SELECT count(*) FROM public."references" r
     LEFT JOIN public.aliases a ON a.alias_id = r.referenced_document_id
     WHERE a.alias_id IS NULL)::int AS dangling`;

interface Integrity {
  documents_twice: number;
  aliases_twice: number;
  dangling: number;
}

/**
 * Compares a database with the answers to a bulk load into its empty tables. Null where there are no
 * tables of the document service. Its own reads are counted by pg_stat_database like any others, so read an arm's
 * counters before. Throws PgsweepError `stack`.
 */
export async function checkBulk(databaseUrl: string, { byResource }: BulkRecord): Promise<BulkCheck | null> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'pgsweep check' });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ found: boolean }>(
      "SELECT to_regclass('public.documents') IS NOT NULL AND to_regclass('public.aliases') IS NOT NULL AS found",
    );
    if (tables[0]?.found !== true) return null;
    const { rows } = await client.query<{ resource_name: string; documents: number }>(counts);
    const found = new Map(rows.map(({ resource_name, documents }) => [endpointOf(resource_name), documents]));
    const {
      rows: [whole],
    } = await client.query<Integrity>(integrity);
    const { documents_twice = 0, aliases_twice = 0, dangling = 0 } = whole ?? {};
    return { ...compare(byResource, found, documents_twice), doubled: documents_twice + aliases_twice, dangling };
  } catch (cause) {
    throw new PgsweepError('stack', `what was loaded cannot be checked: ${messageOf(cause)}`, { cause });
  } finally {
    await client.end();
  }
}

function compare(
  byResource: BulkRecord['byResource'],
  found: ReadonlyMap<string, number>,
  twice: number,
): Pick<BulkCheck, 'missing' | 'unexpected'> {
  let missing = 0;
  let unexpected = 0;
  for (const resource of new Set([...Object.keys(byResource), ...found.keys()])) {
    const more = (found.get(resource) ?? 0) - (byResource[resource]?.loaded ?? 0);
    if (more < 0) missing -= more;
    else unexpected += more;
  }
  // One that stands twice is said to be doubled, and not once more to be unexpected.
  return { missing, unexpected: Math.max(0, unexpected - twice) };
}
