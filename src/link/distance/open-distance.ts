import { messageOf, PgsweepError } from '../../base/errors.ts';
import { nodeCommand } from '../../base/node-command.ts';
import { spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import { type DistanceReading, type DistanceSpec, isOff } from '../../journal/link/distance.ts';
import type { LinkKind, LinkOptions, OpenedLink } from '../link.ts';
import type { FromProxy, ToProxy } from './proxy-messages.ts';
import { measureRoundTrips } from './round-trips.ts';

/** A network between a service and its database, by a proxy on this machine. */
export const distanceLink: LinkKind = {
  isWanted: ({ distance }) => distance !== undefined,
  open: (options) => openDistance(options, options.variant.distance ?? { rttMs: 0 }),
};

/** Round trips of a look, and how long it takes as long as they are no fewer than the least. */
const [LEAST_TRIPS, MOST_TRIPS, LOOK_MS] = [10, 200, 500];
/** A distance that is not as asked is measured again before it is told: something else may have gone on. */
const LOOKS = 3;

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
        const place = { near: databaseUrl, far: url, asked: distance, trips: tripsOf(distance), signal };
        let reading = await look(place);
        for (let looks = 1; looks < LOOKS && isOff(reading); looks++) reading = await look(place);
        return { distance: reading };
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

function tripsOf({ rttMs }: DistanceSpec): number {
  return Math.round(Math.min(MOST_TRIPS, Math.max(LEAST_TRIPS, LOOK_MS / (rttMs + 0.2))));
}

interface Look {
  readonly near: string;
  readonly far: string;
  readonly asked: DistanceSpec;
  readonly trips: number;
  readonly signal: AbortSignal;
}

async function look({ near, far, asked, trips, signal }: Look): Promise<DistanceReading> {
  try {
    const [direct, distant] = await measureRoundTrips([near, far], trips, signal);
    if (direct === undefined || distant === undefined) throw new Error('nothing was measured');
    return { asked, direct, distant };
  } catch (cause) {
    signal.throwIfAborted();
    throw failed(`round trips could not be measured: ${messageOf(cause)}`, cause);
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
      if (message.kind === 'ready') proxy.child.send({ host, port: Number(port || 5432), distance } satisfies ToProxy);
      else if (message.kind === 'opened') resolve(message.port);
      else reject(failed(message.message));
    });
    void proxy.exited.then(({ code, signal }) => {
      reject(failed(`its process ended (${signal ?? `exit code ${code}`}): ${proxy.tail().join('\n')}`));
    });
  });
}

function failed(why: string, cause?: unknown): PgsweepError {
  return new PgsweepError('stack', `the proxy that makes the distance to the database failed: ${why}`, {
    hint: 'Without it: leave out rtt, jitter and bandwidth.',
    cause,
  });
}
