import type { Random } from '../../src/base/random.ts';
import { gammaTails } from '../../src/stats/special-functions.ts';

/** A service of so many workers that take requests first come, first served; service times are exponential. */
export interface Queue {
  readonly workers: number;
  readonly meanMs: number;
}

/** Erlang's C formula: the probability that a request that comes at such a rate has to wait (Erlang 1917). */
export function waitProbability({ workers, meanMs }: Queue, perS: number): number {
  const offered = (perS * meanMs) / 1000;
  // Erlang B by its recursion, and C from it.
  let blocked = 1;
  for (let n = 1; n <= workers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  const use = offered / workers;
  return blocked / (1 - use + use * blocked);
}

/** M/M/c: the probability that an answer takes longer, where requests come at random at such a rate. */
function openTail(queue: Queue, perS: number, ms: number): number {
  const each = 1 / queue.meanMs;
  const left = queue.workers * each - perS / 1000;
  if (left <= 0) return 1;
  const wait = waitProbability(queue, perS);
  const own = Math.exp(-each * ms);
  const both =
    Math.abs(each - left) < 1e-9 * each
      ? (1 + each * ms) * own
      : (each * Math.exp(-left * ms) - left * own) / (each - left);
  return (1 - wait) * own + wait * both;
}

/**
 * The same of so many clients that send again as soon as they have their answer: whoever comes finds the others there, waits
 * for one departure after the other at the rate of all workers (Erlang), and is served. Between two numbers of clients the
 * gamma distribution stands for Erlang's.
 */
function closedTail({ workers, meanMs }: Queue, clients: number, ms: number): number {
  const [each, all, ahead] = [1 / meanMs, workers / meanMs, clients - workers];
  if (ahead <= 0 || workers === 1) return workers === 1 ? gammaTails(clients, each * ms).above : Math.exp(-each * ms);
  const servedLater = Math.exp(-each * ms) * (all / (all - each)) ** ahead * gammaTails(ahead, (all - each) * ms).below;
  return gammaTails(ahead, all * ms).above + servedLater;
}

/** The p95 of the time to an answer, in ms. */
export function p95(queue: Queue, load: { readonly rate: number } | { readonly connections: number }): number {
  const tail = (ms: number): number =>
    'rate' in load ? openTail(queue, load.rate, ms) : closedTail(queue, load.connections, ms);
  return bisect((ms) => 0.05 - tail(ms), 0, 1e7);
}

/** Beyond it the parts of the formula are no numbers any more. */
const MOST_CLIENTS = 60;

/** The load at which the p95 reaches the limit. */
export function capacityOf(queue: Queue, of: 'rate' | 'connections', limitMs: number): number {
  const most = of === 'rate' ? (1000 * queue.workers) / queue.meanMs : MOST_CLIENTS * queue.workers;
  const loadOf = (size: number) => (of === 'rate' ? { rate: size } : { connections: size });
  return bisect((size) => (of === 'rate' && size >= most ? 1 : p95(queue, loadOf(size)) - limitMs), 1e-3, most);
}

function bisect(rising: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The p95 in ms that a stretch of load shows, simulated request by request; its first tenth is not counted. */
export function simulatedP95({ workers, meanMs }: Queue, perS: number, seconds: number, random: Random): number {
  const exponential = (mean: number): number => -mean * Math.log(1 - random.next());
  const free = new Float64Array(workers);
  const latencies: number[] = [];
  for (let at = exponential(1000 / perS); at < 1000 * seconds; at += exponential(1000 / perS)) {
    let first = 0;
    for (let worker = 1; worker < workers; worker++) {
      if ((free[worker] ?? 0) < (free[first] ?? 0)) first = worker;
    }
    const end = Math.max(at, free[first] ?? 0) + exponential(meanMs);
    free[first] = end;
    if (at >= 100 * seconds) latencies.push(end - at);
  }
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}

/** A standard normal deviate (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
