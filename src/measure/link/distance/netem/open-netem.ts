import { messageOf, PgsweepError } from '../../../../base/errors.ts';
import type { DistanceSpec } from '../../../../journal/link/distance.ts';
import { closePair, openPair, type Pair, runBeside, runHere } from '../../../stack/embedded/network.ts';
import type { LinkKind, LinkOptions, OpenedLink } from '../../link.ts';
import { measureDistance } from '../measure-distance.ts';

/** A network between a service and its database, by the kernel: a pair of each arm's own, also without a distance, so that arms differ in that alone. */
export const netemLink: LinkKind = {
  isWanted: ({ networkPid }) => networkPid !== undefined,
  open: (options) => openNetem(options, options.networkPid ?? 0),
};

async function openNetem({ variant, databaseUrl, signal }: LinkOptions, networkPid: number): Promise<OpenedLink> {
  signal.throwIfAborted();
  const { distance } = variant;
  const pair = await openPair(networkPid).catch(fail);
  try {
    if (distance !== undefined) await putAway(pair, distance);
  } catch (error) {
    await closePair(pair);
    fail(error);
  }
  const url = new URL(databaseUrl);
  url.hostname = pair.address;
  return {
    url: url.href,
    pids: [],
    async verify() {
      if (distance === undefined) return {};
      return {
        distance: await measureDistance({ near: databaseUrl, far: url.href, asked: distance, by: 'netem', signal }),
      };
    },
    close: () => closePair(pair),
  };
}

/** Half of it in each direction: what an end sends waits at that end. */
async function putAway({ name, pid }: Pair, distance: DistanceSpec): Promise<void> {
  const command = ['tc', 'qdisc', 'add', 'dev', name, 'root', 'netem', ...netemArguments(distance)] as const;
  await runHere(command);
  await runBeside(pid, command);
}

/** No queue is this long: TCP itself has some MB under way at most. The default of 1000 would drop packets. */
const LIMIT_PACKETS = 1_000_000;

/** Arguments of netem for one direction. */
export function netemArguments({ rttMs, bandwidthMbit }: DistanceSpec): string[] {
  const delay = rttMs === 0 ? [] : ['delay', `${(500 * rttMs).toFixed(1)}us`];
  const rate = bandwidthMbit === undefined ? [] : ['rate', `${Math.round(1e6 * bandwidthMbit)}bit`];
  return ['limit', String(LIMIT_PACKETS), ...delay, ...rate];
}

function fail(cause: unknown): never {
  throw new PgsweepError('stack', `netem cannot make the distance to the database: ${messageOf(cause)}`, {
    hint: 'PGSWEEP_DISTANCE=proxy has a proxy make it.',
    cause,
  });
}
