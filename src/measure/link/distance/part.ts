import pg from 'pg';
import { applications } from '../../../base/application-names.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { nodeCommand } from '../../../base/node-command.ts';
import { spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import {
  addedMs,
  type DistanceReading,
  type DistanceSpec,
  isOff,
  type RoundTrips,
} from '../../../journal/link/distance.ts';
import { ok, warning } from '../../finding.ts';
import type { LinkKind, LinkOptions, OpenedLink, RunPart } from '../link.ts';
import type { FromProxy, ToProxy } from './proxy-messages.ts';

/** To open the way of an arm at a distance, and to measure it. */
const DISTANCE_MS = 1000;

/** A network between a service and its database, by a proxy on this machine. */
export const distanceLink: LinkKind = {
  isWanted: ({ variant }) => variant.distance !== undefined,
  open: (options) => openDistance(options, options.variant.distance ?? { rttMs: 0 }),
};

/** Distance between a service and its database, made by a proxy. */
export const distance = {
  estimateMs: (variant) => (variant.distance === undefined ? 0 : DISTANCE_MS),
  links: [distanceLink],
  async require({ variants }, before) {
    if (variants.every((variant) => variant.distance === undefined)) return {};
    if (before?.distanceBy === 'netem')
      throw new PgsweepError('stack', 'the kernel (netem) made the distances of this run, and pgsweep uses a proxy', {
        hint: 'All rounds of a run need one way: start a new run. pgsweep report still reads this one.',
      });
    return { distanceBy: 'proxy' };
  },
  measured: {
    by: (variant) => variant.distance,
    finding({ name }, { distance: reading }) {
      if (reading === undefined) return [];
      const found = `"${name}" is ${addedMs(reading).toFixed(2)} ms from its database, ${reading.asked.rttMs} ms asked`;
      if (!isOff(reading)) return [ok('distance', found)];
      return [
        warning('distance', found, 'Every round measures it again; a machine with less other load comes closer.'),
      ];
    },
  },
} satisfies RunPart;

async function openDistance({ databaseUrl, reaper, signal }: LinkOptions, distance: DistanceSpec): Promise<OpenedLink> {
  signal.throwIfAborted();
  const proxy = await spawnWatched({
    command: nodeCommand(new URL('./proxy-main.ts', import.meta.url)),
    reaper,
    ipc: true,
  });
  try {
    const port = await portOf(proxy, { databaseUrl, distance });
    const url = at(databaseUrl, port);
    return {
      url,
      pids: [proxy.pid],
      exited: proxy.exited.then(({ code, signal: by }) => `the proxy of the distance (${by ?? `exit code ${code}`})`),
      async verify() {
        return { distance: await measureDistance({ near: databaseUrl, far: url, asked: distance, signal }) };
      },
      async close() {
        await proxy.stop();
      },
    };
  } catch (error) {
    await proxy.stop();
    throw error;
  }
}

/** The address of the database, with the proxy's port in place of the server's. */
function at(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

interface Place {
  readonly databaseUrl: string;
  readonly distance: DistanceSpec;
}

/** Where the proxy listens, once it does. */
function portOf(proxy: WatchedProcess, { databaseUrl, distance }: Place): Promise<number> {
  const { hostname, port } = new URL(databaseUrl);
  // An address of IPv6 stands in brackets in a URL.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    proxy.child.on('message', (message: FromProxy) => {
      if (message.kind === 'ready') {
        // If one ends meanwhile, its exit reports it.
        proxy.child.send({ host, port: Number(port || 5432), distance } satisfies ToProxy, () => {});
      } else if (message.kind === 'opened') resolve(message.port);
      else reject(failed(message.message));
    });
    void proxy.exited.then(({ code, signal }) => {
      reject(failed(`its process ended (${signal ?? `exit code ${code}`}): ${proxy.tail().join('\n')}`));
    });
  });
}

function failed(why: string): PgsweepError {
  return new PgsweepError('stack', `the proxy that makes the distance to the database failed: ${why}`, {
    hint: 'Without it: leave out rtt, jitter and bandwidth.',
  });
}

/** Two ways to the same database, by their URLs. */
interface DistancePlace {
  readonly near: string;
  readonly far: string;
  readonly asked: DistanceSpec;
  readonly signal: AbortSignal;
}

/** Round trips of a look, and how long it takes as long as they are no fewer than the least. */
const [LEAST_TRIPS, MOST_TRIPS, LOOK_MS] = [10, 200, 500];
/** A distance that is off is measured again before it is reported: another process may have disturbed it. */
const LOOKS = 3;

/** Measures a distance, in up to a second and a half. Throws PgsweepError `stack` where the database does not answer. */
async function measureDistance(place: DistancePlace): Promise<DistanceReading> {
  let reading = await look(place);
  for (let looks = 1; looks < LOOKS && isOff(reading); looks++) reading = await look(place);
  return reading;
}

function tripsOf({ rttMs }: DistanceSpec): number {
  return Math.round(Math.min(MOST_TRIPS, Math.max(LEAST_TRIPS, LOOK_MS / (rttMs + 0.2))));
}

async function look({ near, far, asked, signal }: DistancePlace): Promise<DistanceReading> {
  try {
    const [direct, distant] = await measureRoundTrips([near, far], tripsOf(asked), signal);
    if (direct === undefined || distant === undefined) throw new Error('nothing was measured');
    return { asked, direct, distant };
  } catch (cause) {
    signal.throwIfAborted();
    throw new PgsweepError('stack', `the distance to the database cannot be measured: ${messageOf(cause)}`, {
      hint: 'Without it: leave out rtt, jitter and bandwidth.',
      cause,
    });
  }
}

/** That share of them is made before, unmeasured, until code and connections are warm. */
const WARM_UP_SHARE = 0.15;

const connectLimitMs = 10_000;

/**
 * Round trips of `SELECT 1` over a connection to each of the addresses, in turns, so that what the machine does strikes
 * all alike. Throws pg's own errors, and the signal's reason.
 */
async function measureRoundTrips(urls: readonly string[], trips: number, signal: AbortSignal): Promise<RoundTrips[]> {
  const clients = urls.map((connectionString) => {
    const limits = { connectionTimeoutMillis: connectLimitMs, query_timeout: connectLimitMs };
    const client = new pg.Client({ connectionString, application_name: applications.distance, ...limits });
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
