import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Reaper } from '../../src/base/process/reaper.ts';
import type { ConnectionsLevel } from '../../src/journal/scenario-record.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import { startLoadGenerator } from '../../src/measure/load/generator-process.ts';
import type { Goal } from './goal.ts';

const PAIRS = 6;
const SECONDS = 4;
export const CONNECTIONS = 25;
const LARGEST_ERROR = 0.05;

export interface Stretch {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** autocannon as people call it: `npx autocannon -c 25 -d 4 URL`. */
export async function byHand(url: string): Promise<Stretch> {
  const script = createRequire(import.meta.url).resolve('autocannon');
  const args = [script, '--json', '--no-progress', '-c', String(CONNECTIONS), '-d', String(SECONDS), url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  const { requests, latency } = JSON.parse(stdout) as {
    requests: { total: number };
    latency: { p50: number; p99: number };
  };
  return { rate: requests.total / SECONDS, p50Ms: latency.p50, p99Ms: latency.p99 };
}

/** An engine of pgsweep, whose process is started for it as autocannon's is. */
async function byPgsweep(url: string, of: ConnectionsLevel['of'], reaper: Reaper): Promise<Stretch> {
  const request = { name: 'get', method: 'GET', path: '/', headers: {}, weight: 1 };
  const workload = { kind: 'requests', requests: [request] } as const;
  const generator = await startLoadGenerator({ workload, documents: [] }, reaper);
  const load = { connections: CONNECTIONS, ...(of !== undefined && { of }) };
  const stream = await generator.open({ url, load, seed: 1, timeoutMs: 5000 });
  const durationMs = SECONDS * 1000;
  const { ok } = await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
  const { latency } = await stream.close();
  await generator.stop();
  return { rate: ok / SECONDS, p50Ms: (latency.p50Us ?? 0) / 1000, p99Ms: (latency.p99Us ?? 0) / 1000 };
}

/** Both engines beside autocannon by hand, on a service that answers at once and on one whose times are spread. */
export async function benchEngines(
  { fast, spread }: { readonly fast: string; readonly spread: string },
  reaper: Reaper,
): Promise<Goal[]> {
  const ways = [
    byHand,
    (url: string) => byPgsweep(url, 'autocannon', reaper),
    (url: string) => byPgsweep(url, undefined, reaper),
  ];
  const [hand = [], engine = []] = await inPairs(ways.slice(0, 2), fast);
  const atOnce = ratio(engine, hand);
  const onSpread = await inPairs(ways, spread);
  const [byHands = [], ...others] = onSpread;
  return [
    {
      name: "autocannon as an engine, requests/s against autocannon's by hand",
      measured: `${atOnce.toFixed(3)} (${engine.map(({ rate }, pair) => (rate / (hand[pair]?.rate ?? Number.NaN)).toFixed(2)).join(' ')})`,
      goal: 'within 5 %',
      reached: Math.abs(atOnce - 1) <= LARGEST_ERROR,
    },
    ...others.map((own, place): Goal => {
      const words = [
        `${mean(own.map(({ rate }) => rate)).toFixed(0)}/s (by hand ${mean(byHands.map(({ rate }) => rate)).toFixed(0)})`,
        ...(['p50Ms', 'p99Ms'] as const).map((name) => {
          const [ms, handMs] = [own, byHands].map((all) => mean(all.map((one) => one[name])).toFixed(1));
          return `${name.slice(0, 3)} ${ms} ms (${handMs})`;
        }),
      ];
      const errors = [ratio(own, byHands) - 1, errorOf('p50Ms', own, byHands), errorOf('p99Ms', own, byHands)];
      return {
        name: `${place === 0 ? 'autocannon as an engine' : 'the load generator'} beside autocannon by hand, on a service of 8 ms and exponential times: rate, p50, p99`,
        measured: words.join(', '),
        goal: 'each within 5 %, where autocannon has rounded it down to whole ms',
        reached: errors.every((error) => Math.abs(error) <= LARGEST_ERROR),
      };
    }),
  ];
}

/** ABC CBA, so that drift is the same for all. */
async function inPairs(ways: readonly ((url: string) => Promise<Stretch>)[], url: string): Promise<Stretch[][]> {
  const stretches = ways.map((): Stretch[] => []);
  await ways[0]?.(url);
  for (let pair = 0; pair < PAIRS; pair++) {
    const order = pair % 2 === 0 ? [...ways.keys()] : [...ways.keys()].reverse();
    for (const place of order) {
      const stretch = await ways[place]?.(url);
      if (stretch !== undefined) stretches[place]?.push(stretch);
    }
  }
  return stretches;
}

function ratio(own: readonly Stretch[], hand: readonly Stretch[]): number {
  return Math.exp(mean(own.map(({ rate }, pair) => Math.log(rate / (hand[pair]?.rate ?? Number.NaN)))));
}

/** How far a mean percentile is from what autocannon may have rounded down to its own. */
function errorOf(name: 'p50Ms' | 'p99Ms', own: readonly Stretch[], hand: readonly Stretch[]): number {
  const [ms, least] = [mean(own.map((one) => one[name])), mean(hand.map((one) => one[name]))];
  return ms / Math.min(least + 1, Math.max(least, ms)) - 1;
}
