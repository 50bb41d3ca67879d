import pg from 'pg';
import type { RoundTrips } from '../../../journal/link/distance.ts';

/** That share of them is made before, unmeasured, until code and connections are warm. */
const WARM_UP_SHARE = 0.15;

const connectLimitMs = 10_000;

/**
 * Round trips of `SELECT 1` over a connection to each of the addresses, in turns, so that what the machine does strikes
 * all alike. Throws pg's own errors, and the signal's reason.
 */
export async function measureRoundTrips(
  urls: readonly string[],
  trips: number,
  signal: AbortSignal,
): Promise<RoundTrips[]> {
  const clients = urls.map((connectionString) => {
    const limits = { connectionTimeoutMillis: connectLimitMs, query_timeout: connectLimitMs };
    const client = new pg.Client({ connectionString, application_name: 'pgsweep distance', ...limits });
    // A server that goes away also tells an idle client, by an event that would end the bench.
    client.on('error', () => {});
    return client;
  });
  const tripsUs = urls.map((): number[] => []);
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (let trip = -Math.ceil(WARM_UP_SHARE * trips); trip < trips; trip++) {
      signal.throwIfAborted();
      for (const [index, client] of clients.entries()) {
        const startMs = performance.now();
        await client.query('SELECT 1');
        if (trip >= 0) tripsUs[index]?.push(1000 * (performance.now() - startMs));
      }
    }
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
  return tripsUs.map(roundTripsOf);
}

/** Their quantiles, by the nearest rank. */
function roundTripsOf(tripsUs: readonly number[]): RoundTrips {
  const sorted = [...tripsUs].sort((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
  return { trips: sorted.length, p50Us: at(0.5), p99Us: at(0.99) };
}
