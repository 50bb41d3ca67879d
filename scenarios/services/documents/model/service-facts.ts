/** Facts about this service that the bench knows, too: src/journal/sample.ts. */

/** Connections in the pool where nobody says how many. */
export const DEFAULT_POOL_SIZE = 10;

/** Settings of every session, over its database's; pool.ts has the reason. */
export const sessionSettings = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' };
