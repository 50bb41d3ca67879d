import type { Random } from '../../src/base/random.ts';

/** How long a worker of a planted service takes for a request. */
export const kindsOfWaits = ['exponential', 'fixed', 'two-valued'] as const;
export type KindOfWaits = (typeof kindsOfWaits)[number];

/** Of waits of two values: this many are long, at these multiples of the mean. */
export const twoValued = { longShare: 0.1, short: 0.5, long: 5.5 } as const;

/** A service of so many workers that take requests first come, first served. */
export interface WaitingService {
  readonly workers: number;
  readonly meanMs: number;
  readonly waits: KindOfWaits;
}

/** Requests by clients that send again after their answer and a pause (0: at once), or at random at a rate. */
export type WaitingLoad = { readonly clients: number; readonly thinkMs: number } | { readonly perS: number };

/** A timer is late by up to this much, which delays an answer and no worker. */
const LATE_MS = 0.8;

function drawWait({ meanMs, waits }: WaitingService, random: Random): number {
  if (waits === 'fixed') return meanMs;
  if (waits === 'exponential') return -meanMs * Math.log(1 - random.next());
  return meanMs * (random.next() < twoValued.longShare ? twoValued.long : twoValued.short);
}

/** The p95 in ms of a stretch of load, request by request; its first tenth is not counted. */
export function simulatedWaitsP95(service: WaitingService, load: WaitingLoad, seconds: number, random: Random): number {
  const free = new Float64Array(service.workers);
  const latencies: number[] = [];
  const [fromMs, toMs] = [100 * seconds, 1000 * seconds];
  /** The moment of the answer to a request that came at a moment. */
  const answerTo = (at: number): number => {
    let first = 0;
    for (let worker = 1; worker < free.length; worker++) if ((free[worker] ?? 0) < (free[first] ?? 0)) first = worker;
    const end = Math.max(at, free[first] ?? 0) + drawWait(service, random);
    free[first] = end;
    const answered = end + LATE_MS * random.next();
    if (at >= fromMs && at < toMs) latencies.push(answered - at);
    return answered;
  };
  if ('perS' in load) {
    const gap = (): number => (-1000 / load.perS) * Math.log(1 - random.next());
    for (let at = gap(); at < toMs; at += gap()) answerTo(at);
  } else {
    const { clients, thinkMs } = load;
    const due = Float64Array.from({ length: clients }, () => thinkMs * random.next() + 0.1 * random.next());
    for (;;) {
      let next = 0;
      for (let one = 1; one < clients; one++) if ((due[one] ?? 0) < (due[next] ?? 0)) next = one;
      const at = due[next] ?? 0;
      if (at >= toMs) break;
      due[next] = answerTo(at) + thinkMs * (0.5 + random.next());
    }
  }
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}
