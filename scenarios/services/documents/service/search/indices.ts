import type { Client } from '@opensearch-project/opensearch';
import { errors } from '@opensearch-project/opensearch';

/** The indices of one service: one for each resource. */
export interface Indices {
  nameOf(resourceName: string): string;
  /** Makes the index of a resource, and fills it, unless this service has done so. Rejects with what went wrong. */
  ensure(resourceName: string): Promise<void>;
}

/**
 * Texts are keywords, so that a query finds what Postgres would: the whole value. Nothing guesses dates, or the first
 * text that looks like one would decide what later texts may be. One shard and no replica: there is one node.
 */
const definition = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    date_detection: false,
    dynamic_templates: [
      // Lucene's longest term is 32,766 bytes, of which a character may take 4.
      { texts: { match_mapping_type: 'string', mapping: { type: 'keyword' as const, ignore_above: 8191 } } },
    ],
    properties: { info: { type: 'object' as const, enabled: false } },
  },
};

export function createIndices(
  client: Client,
  prefix: string,
  timed: <T>(operation: 'create_index', call: () => Promise<T>) => Promise<T>,
  fill: (resourceName: string, index: string) => Promise<void>,
): Indices {
  const made = new Map<string, Promise<void>>();
  const nameOf = (resourceName: string): string => `${prefix}${resourceName.toLowerCase()}`;
  const make = async (index: string): Promise<void> => {
    try {
      await timed('create_index', () => client.indices.create({ index, body: definition }));
    } catch (error) {
      // Another service has made it, or this one before it was restarted.
      if (!(error instanceof errors.ResponseError && error.body?.error?.type === 'resource_already_exists_exception')) {
        throw error;
      }
    }
  };
  return {
    nameOf,
    ensure(resourceName) {
      const index = nameOf(resourceName);
      const known = made.get(index);
      if (known) return known;
      // Writers that come meanwhile wait for the same call.
      const making = make(index).then(() => fill(resourceName, index));
      made.set(index, making);
      // The next write tries again.
      making.catch(() => made.delete(index));
      return making;
    },
  };
}
