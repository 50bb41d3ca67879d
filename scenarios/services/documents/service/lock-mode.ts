/** How a write locks the rows that it has read until it commits. */
export const lockModes = ['share-nowait', 'share', 'key-share-nowait', 'key-share', 'none'] as const;

export type LockMode = (typeof lockModes)[number];

const clauses: Record<LockMode, string> = {
  'share-nowait': 'FOR SHARE OF a NOWAIT',
  share: 'FOR SHARE OF a',
  'key-share-nowait': 'FOR KEY SHARE OF a NOWAIT',
  'key-share': 'FOR KEY SHARE OF a',
  none: '',
};

/** The end of a SELECT that reads `aliases a`. */
export function lockClause(mode: LockMode): string {
  return clauses[mode];
}
