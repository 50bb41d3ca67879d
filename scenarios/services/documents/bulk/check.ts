import type { BulkCheckFunction, BulkDatabase, BulkFindings } from '../../../../src/measure/load/workload-module.ts';
import { endpointOf } from '../dataset/edfi-names.ts';

const tables =
  "SELECT to_regclass('public.documents') IS NOT NULL AND to_regclass('public.aliases') IS NOT NULL AS found";

const counts = 'SELECT resource_name, count(*)::int AS documents FROM public.documents GROUP BY resource_name';

const integrity = `
  SELECT
    (SELECT count(*) - count(DISTINCT document_id) FROM public.documents)::int AS documents_twice,
    (SELECT count(*) - count(DISTINCT alias_id) FROM public.aliases)::int AS aliases_twice,
    (SELECT count(*) FROM public."references" r
     LEFT JOIN public.aliases a ON a.alias_id = r.referenced_document_id
     WHERE a.alias_id IS NULL)::int AS dangling`;

/** Compares a database with the answers to a bulk load into its empty tables. Null where there are no tables of this service. */
export const check: BulkCheckFunction = async ({ query, byResource }) => {
  const [seen] = await query(tables);
  if (seen?.found !== true) return null;
  const rows = await query(counts);
  const found = new Map(rows.map((row) => [endpointOf(String(row.resource_name)), Number(row.documents)]));
  const [whole] = await query(integrity);
  const twice = Number(whole?.documents_twice);
  return {
    ...compare(byResource, found, twice),
    doubled: twice + Number(whole?.aliases_twice),
    dangling: Number(whole?.dangling),
  };
};

function compare(
  byResource: BulkDatabase['byResource'],
  found: ReadonlyMap<string, number>,
  twice: number,
): Pick<BulkFindings, 'missing' | 'unexpected'> {
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
