import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createArrivals } from '../../src/measure/load/open-loop/rate-stream.ts';

interface BareLoad {
  readonly url: string;
  readonly rate: number;
  readonly arrivals: 'constant' | 'poisson';
  readonly seed: number;
  readonly durationMs: number;
  /** Sockets that are there before it begins; more are opened where they are needed. */
  readonly sockets: number;
}

/**
 * An open loop of nothing but sockets, with the accounting of wrk2: it looks for what is due whenever the event loop comes
 * round, and latency counts from the moment at which a request was due. Returns what begins, and that all latencies, in
 * milliseconds and ascending.
 */
export async function openBareLoop({ url, sockets: count, ...load }: BareLoad): Promise<() => Promise<number[]>> {
  const { hostname, port } = new URL(url);
  const open = (): Socket => connect({ host: hostname, port: Number(port), noDelay: true });
  const idle = Array.from({ length: count }, open);
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  return () => run({ ...load, idle, open });
}

interface OpenLoop extends Omit<BareLoad, 'url' | 'sockets'> {
  readonly idle: Socket[];
  readonly open: () => Socket;
}

async function run({ durationMs, idle, open, ...process }: OpenLoop): Promise<number[]> {
  const all = new Set(idle);
  const arrivals = createArrivals(process);
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let dueMs = arrivals.next();
  let underWay = 0;
  const isDone = new Promise<void>((resolve) => {
    const look = (): void => {
      for (; dueMs < durationMs && startMs + dueMs <= performance.now(); dueMs = arrivals.next()) send(dueMs);
      if (dueMs < durationMs) setImmediate(look);
      else if (underWay === 0) resolve();
      else setTimeout(look, 1);
    };
    const send = (due: number): void => {
      const socket = idle.pop() ?? open();
      all.add(socket);
      underWay++;
      socket.once('data', () => {
        latenciesMs.push(performance.now() - startMs - due);
        idle.push(socket);
        underWay--;
      });
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    };
    look();
  });
  await isDone;
  for (const socket of all) socket.destroy();
  return latenciesMs.sort((a, b) => a - b);
}
