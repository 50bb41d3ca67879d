import type { Random } from '../../src/base/random.ts';
import { gammaTails } from '../../src/judge/stats/distributions.ts';

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

/** This many users who pause for this long in the mean between an answer and their next request. */
export interface Pausing {
  readonly users: number;
  readonly thinkMs: number;
}

/**
 * The probabilities that this many of the users wait or are served: the machine repair model, M/M/c//N, a birth and death process
 * (Kleinrock, Queueing Systems I, 1975, 3.8). How pauses are distributed does not matter to it.
 */
export function stateProbabilities({ workers, meanMs }: Queue, { users, thinkMs }: Pausing): number[] {
  const logs = [0];
  for (let k = 0; k < users; k++)
    logs.push((logs[k] ?? 0) + Math.log(((users - k) * meanMs) / (thinkMs * Math.min(k + 1, workers))));
  const most = logs.reduce((a, b) => Math.max(a, b));
  const weights = logs.map((log) => Math.exp(log - most));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

const NEGLIGIBLE = 1e-10;

/** Whoever comes sees the others as if they were alone (Sevcik and Mitrani 1981); a fraction of a user is between two numbers. */
function pausingTail(queue: Queue, { users, thinkMs }: Pausing, ms: number): number {
  const low = Math.floor(users);
  if (low < users) {
    const tailOf = (whole: number): number => pausingTail(queue, { users: whole, thinkMs }, ms);
    return (low + 1 - users) * tailOf(low) + (users - low) * tailOf(low + 1);
  }
  const found = stateProbabilities(queue, { users: users - 1, thinkMs });
  return found.reduce(
    (sum, probability, others) =>
      sum + (probability < NEGLIGIBLE ? 0 : probability * closedTail(queue, others + 1, ms)),
    0,
  );
}

type QueueLoad = { readonly rate: number } | { readonly connections: number } | Pausing;

/** The p95 of the time to an answer, in ms. */
export function p95(queue: Queue, load: QueueLoad): number {
  const tail = (ms: number): number => {
    if ('rate' in load) return openTail(queue, load.rate, ms);
    return 'users' in load ? pausingTail(queue, load, ms) : closedTail(queue, load.connections, ms);
  };
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

/** The number of users, who pause for this long, at which the p95 reaches the limit. */
export function usersOf(queue: Queue, thinkMs: number, limitMs: number): number {
  const saturated = (queue.workers * (queue.meanMs + thinkMs)) / queue.meanMs;
  return bisect((users) => p95(queue, { users, thinkMs }) - limitMs, 1, 3 * saturated);
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

/** The same of users with exponential pauses, who begin somewhere in one. */
export function simulatedUsersP95(
  { workers, meanMs }: Queue,
  { users, thinkMs }: Pausing,
  seconds: number,
  random: Random,
): number {
  const exponential = (mean: number): number => -mean * Math.log(1 - random.next());
  const free = new Float64Array(workers);
  // The rest of a pause that somebody is met in: an exponential one has no memory.
  const due = Float64Array.from({ length: users }, () => exponential(thinkMs));
  const latencies: number[] = [];
  for (;;) {
    const user = leastOf(due);
    const at = due[user] ?? 0;
    if (at >= 1000 * seconds) break;
    const worker = leastOf(free);
    const end = Math.max(at, free[worker] ?? 0) + exponential(meanMs);
    free[worker] = end;
    due[user] = end + exponential(thinkMs);
    if (end >= Math.min(thinkMs, 100 * seconds) && end < 1000 * seconds) latencies.push(end - at);
  }
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}

function leastOf(values: Float64Array): number {
  let first = 0;
  for (let at = 1; at < values.length; at++) if ((values[at] ?? 0) < (values[first] ?? 0)) first = at;
  return first;
}

/** A standard normal deviate (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
