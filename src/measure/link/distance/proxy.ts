import { connect, createServer, type Server, type Socket } from 'node:net';
import type { DistanceSpec } from '../../../journal/link/distance.ts';
import { type Alarm, nowMs, startAlarm } from './alarm.ts';
import { createDelayQueue, type DelayQueue } from './delay-queue.ts';
import { createLead, type Lead } from './lead.ts';
import { createOwnTime } from './own-time.ts';
import { startEcho, startPings } from './pings.ts';
import { createWire, type Line, type Wire } from './wire.ts';

export interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  readonly distance: DistanceSpec;
}

/** At most this much is under way in each direction of a connection; the sender then waits, as for any network. */
const MOST_HELD_BYTES = 4 * 1024 * 1024;

/** Something that is done on arrival. */
type Arrival = () => void;

/** Clock that all connections share. */
interface Clock {
  readonly queue: DelayQueue<Arrival>;
  readonly alarm: Alarm;
  readonly lead: Lead;
  /** When the alarm goes off; infinite where none is set. */
  alarmMs: number;
  /** True while the next item is due so soon that the proxy waits for it awake. */
  isAwake: boolean;
}

/** Both directions between a service and its database. */
interface Ways {
  readonly clock: Clock;
  readonly toDatabase: Wire;
  readonly toService: Wire;
}

/**
 * Listens on a free port of 127.0.0.1, behind which an address is, as far away as asked, and returns it. Bytes are passed as
 * they are, whatever they say. Rejects with the system's error.
 */
export async function openProxy({ host, port, distance }: ProxyOptions): Promise<number> {
  const clock: Clock = {
    queue: createDelayQueue(),
    alarm: await startAlarm(() => wake(clock)),
    lead: createLead(),
    alarmMs: Number.POSITIVE_INFINITY,
    isAwake: false,
  };
  const own = createOwnTime(distance.rttMs);
  const options = { random: Math.random, ownMs: own.ms };
  const waysOf = (spec: DistanceSpec): Ways => ({
    clock,
    toDatabase: createWire(spec, options),
    toService: createWire(spec, options),
  });
  const opened = await passTo({ host, port }, waysOf(distance));
  const { rttMs } = distance;
  if (rttMs > 0) {
    const echoPort = await startEcho();
    // Pings have their own wires, on which nothing is in their way.
    const proxyPort = await passTo({ host: '127.0.0.1', port: echoPort }, waysOf({ rttMs }));
    await startPings({ echoPort, proxyPort, onPair: own.add });
  }
  return opened;
}

function passTo(address: { readonly host: string; readonly port: number }, ways: Ways): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (service) => {
    const openedMs = nowMs();
    const database = connect({ ...address, allowHalfOpen: true, noDelay: true });
    pass(ways.clock, service, database, ways.toDatabase.connect(openedMs, 'service'));
    pass(ways.clock, database, service, ways.toService.connect(openedMs, 'database'));
  });
  return listening(server);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Everything that one end sends, and how it ends, reaches the other later and in the same order. */
function pass(clock: Clock, from: Socket, to: Socket, line: Line): void {
  let heldBytes = 0;
  const later = (bytes: number, arrival: Arrival): void => {
    const sentMs = nowMs();
    send(clock, sentMs, line.arrivalMs(sentMs, bytes), arrival);
  };
  from.on('data', (chunk: Buffer) => {
    heldBytes += chunk.length;
    if (heldBytes > MOST_HELD_BYTES) from.pause();
    later(chunk.length, () => {
      if (to.destroyed) return;
      to.write(chunk, () => {
        heldBytes -= chunk.length;
        if (heldBytes <= MOST_HELD_BYTES / 2 && from.isPaused()) from.resume();
      });
    });
  });
  from.on('end', () => later(0, () => to.end()));
  // What follows an error is 'close', by which the other end hears of it.
  from.on('error', () => {});
  from.on('close', (isBroken) => later(0, () => (isBroken ? to.resetAndDestroy() : to.destroySoon())));
}

function send(clock: Clock, sentMs: number, atMs: number, arrival: Arrival): void {
  // Nothing that was sent before it is still under way.
  if (atMs <= sentMs && clock.queue.nextMs() > atMs) arrival();
  else {
    clock.queue.add(atMs, arrival);
    if (!clock.isAwake) waitForNext(clock);
  }
}

/** Asleep until shortly before it, then awake, with an eye on the sockets: what is added may arrive earlier. */
function waitForNext(clock: Clock): void {
  const nextMs = clock.queue.nextMs();
  const wakeMs = nextMs - clock.lead.ms();
  if (wakeMs <= nowMs()) {
    clock.isAwake = true;
    setImmediate(deliver, clock);
  } else if (wakeMs < clock.alarmMs) {
    // It goes off by itself for what is later.
    clock.alarmMs = wakeMs;
    clock.alarm.set(wakeMs);
  }
}

function wake(clock: Clock): void {
  clock.lead.add(nowMs() - clock.alarmMs);
  clock.alarmMs = Number.POSITIVE_INFINITY;
  if (!clock.isAwake) deliver(clock);
}

function deliver(clock: Clock): void {
  clock.isAwake = false;
  for (;;) {
    const arrival = clock.queue.take(nowMs());
    if (arrival === null) break;
    arrival();
  }
  if (clock.queue.nextMs() < Number.POSITIVE_INFINITY) waitForNext(clock);
}
