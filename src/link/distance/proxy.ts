import { connect, createServer, type Server, type Socket } from 'node:net';
import type { DistanceSpec } from '../../journal/link/distance.ts';
import { type Alarm, nowMs, startAlarm } from './alarm.ts';
import { createDelayQueue, type DelayQueue } from './delay-queue.ts';
import { createWire, type Line, type Wire } from './wire.ts';

/** A port on 127.0.0.1 behind which an address is, as far away as asked. Bytes are passed as they are, whatever they say. */
export interface DistanceProxy {
  readonly port: number;
  /** What the proxy itself takes in each direction, as it was measured. */
  setOwn(ownMs: number): void;
}

export interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  readonly distance: DistanceSpec;
}

/** Of a direction of a connection, at most so much is under way; the sender then waits, as for any network. */
const MOST_HELD_BYTES = 4 * 1024 * 1024;

/** Something that is done on arrival. */
type Arrival = () => void;

interface Ways {
  readonly queue: DelayQueue<Arrival>;
  readonly alarm: Alarm;
  readonly toDatabase: Wire;
  readonly toService: Wire;
  /** When the alarm goes off. */
  alarmMs: number;
}

/** Listens on a free port. Rejects with the system's error. */
export async function openProxy({ host, port, distance }: ProxyOptions): Promise<DistanceProxy> {
  let ownMs = 0;
  const options = { random: Math.random, ownMs: () => ownMs };
  const ways: Ways = {
    queue: createDelayQueue(),
    alarm: await startAlarm(() => deliver(ways)),
    toDatabase: createWire(distance, options),
    toService: createWire(distance, options),
    alarmMs: Number.POSITIVE_INFINITY,
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (service) => {
    const openedMs = nowMs();
    const database = connect({ host, port, allowHalfOpen: true, noDelay: true });
    pass(ways, service, database, ways.toDatabase.connect(openedMs, 'service'));
    pass(ways, database, service, ways.toService.connect(openedMs, 'database'));
  });
  return {
    port: await listening(server),
    setOwn(measuredMs) {
      ownMs = measuredMs;
    },
  };
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
function pass(ways: Ways, from: Socket, to: Socket, line: Line): void {
  let heldBytes = 0;
  const later = (bytes: number, arrival: Arrival): void => {
    const sentMs = nowMs();
    send(ways, sentMs, line.arrivalMs(sentMs, bytes), arrival);
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

function send(ways: Ways, sentMs: number, atMs: number, arrival: Arrival): void {
  // Nothing that was sent before it is still under way.
  if (atMs <= sentMs && ways.queue.nextMs() > atMs) arrival();
  else {
    ways.queue.add(atMs, arrival);
    setAlarm(ways);
  }
}

function setAlarm(ways: Ways): void {
  const nextMs = ways.queue.nextMs();
  // It goes off by itself for what is later.
  if (nextMs >= ways.alarmMs) return;
  ways.alarmMs = nextMs;
  ways.alarm.set(nextMs);
}

function deliver(ways: Ways): void {
  ways.alarmMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const arrival = ways.queue.take(nowMs());
    if (arrival === null) break;
    arrival();
  }
  setAlarm(ways);
}
