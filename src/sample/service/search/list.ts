import type { ListQuery } from '../list-query.ts';

/** OpenSearch's own limit (index.max_result_window). */
export const searchWindow = 10_000;

/**
 * The body of a search for a list query: every parameter must match, either by one of its values, in the identity, in
 * the body or one level down, as it is with Postgres. The order is that of the index, mostly that of the last writes.
 */
export function searchBody({ matches, limit, offset }: ListQuery): object {
  return {
    query: { bool: { filter: matches.map(({ name, values }) => anyOf(name, values)) } },
    from: offset,
    size: limit,
    sort: ['_doc'],
    track_total_hits: false,
    _source: ['info'],
  };
}

function anyOf(name: string, values: readonly string[]): object {
  // A * would match all fields, and a document that has such a name in earnest does not exist.
  if (!/^[\w-]+$/.test(name)) return { match_none: {} };
  const fields = [`identity.${name}`, `body.${name}`, `body.*.${name}`];
  // Lenient: a text matches no number, which is no error.
  return { bool: { should: values.map((query) => ({ multi_match: { query, fields, lenient: true } })) } };
}
