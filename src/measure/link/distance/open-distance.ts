import { PgsweepError } from '../../../base/errors.ts';
import { nodeCommand } from '../../../base/node-command.ts';
import { spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import type { DistanceSpec } from '../../../journal/link/distance.ts';
import type { LinkKind, LinkOptions, OpenedLink } from '../link.ts';
import { measureDistance } from './measure-distance.ts';
import type { FromProxy, ToProxy } from './proxy-messages.ts';

/** A network between a service and its database, by a proxy on this machine. */
export const distanceLink: LinkKind = {
  isWanted: ({ variant, networkPid }) => variant.distance !== undefined && networkPid === undefined,
  open: (options) => openDistance(options, options.variant.distance ?? { rttMs: 0 }),
};

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
