/** When a write's document goes into the search index. */
export const searchModes = [
  /** Never. */
  'off',
  /** After COMMIT, before the answer, by a call of its own that refreshes the index, as Meadowlark does. */
  'per-document',
  /** After COMMIT, before the answer, in one refreshing call for all writes of the same few milliseconds. */
  'bulk',
  /** After the answer, from a queue, with the refresh that OpenSearch makes by itself every second. */
  'async',
] as const;

export type SearchMode = (typeof searchModes)[number];

/** Where list queries are answered from. */
export const querySources = ['postgres', 'opensearch'] as const;

export type QuerySource = (typeof querySources)[number];
