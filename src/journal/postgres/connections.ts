/** max_connections of a server that the bench starts, where the scenario sets none. */
export const BENCH_CONNECTIONS = 500;

/** Connections that Postgres reserves for superusers by default. */
export const RESERVED_CONNECTIONS = 3;

/** Connections of the bench itself on a server while it measures: probes, counters, the sampler. */
export const OWN_CONNECTIONS = 20;
