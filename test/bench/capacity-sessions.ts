/**
 * Simulated searches for capacities of services with 4 workers and, as the variant, 5: exponential, fixed and two-valued waits, by
 * connections, rate and users, request by request, while the speed of the machine differs from round to round and from arm
 * to arm. How often intervals hold the truth, how wide they are, and how often the control falsely differs from itself.
 *
 *   node --import ./src/base/typescript.mjs test/bench/capacity-sessions.ts [--sessions 100] [--only 'fixed connections']
 */
import { parseArgs } from 'node:util';
import { markdownTable } from 'markdown-table';
import { createRandom } from '../../src/base/random.ts';
import type { LoadAxis } from '../../src/journal/load-traits.ts';
import type { Interval } from '../../src/judge/stats/interval.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import { perRound, simulateSession } from '../support/capacity-session.ts';
import { normal } from '../support/queues.ts';
import { type KindOfWaits, kindsOfWaits, simulatedWaitsP95, type WaitingService } from '../support/waits.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
  },
});
const [sessions, mostRounds] = [Number(values.sessions), Number(values.rounds)];
const SLICE_S = 5;

/** What is searched, by the kind of load. */
const questions = {
  connections: { limitMs: 200, range: { of: 'connections', from: 4, to: 400 }, thinkMs: 0, least: 10 },
  rate: { limitMs: 200, range: { of: 'rate', from: 20, to: 2000 }, thinkMs: 0, least: 100 },
  users: { limitMs: 150, range: { of: 'users', from: 10, to: 1000 }, thinkMs: 200, least: 30 },
} as const;

/** Standard deviations of ln(speed), of a round and of an arm in it. */
const machines = { quiet: [0.003, 0.002], usual: [0.03, 0.02] } as const;

interface Case {
  readonly of: LoadAxis;
  readonly waits: KindOfWaits;
  readonly machine: keyof typeof machines;
}

/** A step of fixed waits is at 200 ms: half the sessions of a limit just there would find it on either side. */
function limitOf({ of, waits }: Case): number {
  return of === 'connections' && waits === 'fixed' ? 190 : questions[of].limitMs;
}

function serviceOf(waits: KindOfWaits, workers: number, speed = 1): WaitingService {
  return { workers, meanMs: 20 / speed, waits };
}

function p95Of(service: WaitingService, of: LoadAxis, load: number, random: ReturnType<typeof createRandom>): number {
  const asked = of === 'rate' ? { perS: load } : { clients: load, thinkMs: questions[of].thinkMs };
  return simulatedWaitsP95(service, asked, SLICE_S, random);
}

const TRUTH_SLICES = 100;
const TRUTH_SPEEDS = 400;

/** The typical p95 of slices at rising loads, as far as it matters. */
function typicalCurve(one: Case, workers: number): { readonly load: number; readonly ms: number }[] {
  const { of, waits } = one;
  const { least } = questions[of];
  const limitMs = limitOf(one);
  const random = createRandom(`truth ${of} ${waits} ${workers}`);
  const curve: { load: number; ms: number }[] = [];
  for (let load: number = least; ; load = of === 'rate' ? load * 1.01 : load + 1) {
    // As many again only near the limit: far from it a few slices say enough.
    const few = Array.from({ length: 5 }, () => p95Of(serviceOf(waits, workers), of, load, random));
    const isNear = mean(few) > 0.5 * limitMs && mean(few) < 2 * limitMs;
    const more = isNear
      ? Array.from({ length: TRUTH_SLICES }, () => p95Of(serviceOf(waits, workers), of, load, random))
      : [];
    const response = mean([...few, ...more].map((ms) => 2 / (1 + ms / limitMs)));
    curve.push({ load, ms: limitMs * (2 / response - 1) });
    if (response < 0.6) return curve;
  }
}

/**
 * The load at which the typical p95 reaches the limit, as the geometric mean over speeds of the machine. Of fixed waits
 * the last load that passes, of others along a straight line between neighbours.
 */
function truthOf(one: Case, workers: number): number {
  const curve = typicalCurve(one, workers);
  const limitMs = limitOf(one);
  const random = createRandom('speeds');
  const sd = Math.hypot(...machines[one.machine]);
  const logs = Array.from({ length: TRUTH_SPEEDS }, () => {
    const speed = Math.exp(sd * normal(random));
    const last = curve.findLastIndex(({ ms }) => ms / speed <= limitMs);
    const [kept, broken] = [curve[last], curve[last + 1]];
    if (kept === undefined || broken === undefined) return Number.NaN;
    const share = Math.log(limitMs / (kept.ms / speed)) / Math.log(broken.ms / kept.ms);
    const isStep = one.waits === 'fixed' && one.of !== 'rate';
    const log = Math.log(kept.load) + (isStep ? 0 : share * Math.log(broken.load / kept.load));
    // What is slower reaches a limit at a lower rate; clients that wait only wait longer.
    return one.of === 'rate' ? log + Math.log(speed) : log;
  });
  return Math.exp(mean(logs));
}

function holds({ low, high }: Interval, truth: number): boolean {
  return low <= truth * (1 + 1e-9) && truth * (1 - 1e-9) <= high;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function rowOf(one: Case): string[] {
  const { range } = questions[one.of];
  const limitMs = limitOf(one);
  const truths = [truthOf(one, 4), truthOf(one, 5)] as const;
  const change = truths[1] / truths[0];
  const arms: { isHeld: boolean; half: number; off: number }[] = [];
  const changes: { isHeld: boolean; half: number }[] = [];
  let [rounds, alarms, unknown] = [0, 0, 0];
  for (let session = 0; session < sessions; session++) {
    const random = createRandom(`${values.seed} ${Object.values(one).join(' ')} ${session}`);
    const [shared, own] = [perRound(random, normal), perRound(random, normal)];
    const [ofRound, ofArm] = machines[one.machine];
    const { judged, rounds: had } = simulateSession({
      range,
      limit: limitMs,
      variants: ['variant'],
      mostRounds,
      sliceS: SLICE_S,
      measure(arm, round, load) {
        const speed = Math.exp(ofRound * shared(0, round) + ofArm * own(arm, round));
        return p95Of(serviceOf(one.waits, arm === 2 ? 5 : 4, speed), one.of, load, random);
      },
    });
    rounds += had;
    for (const { variant, supports, interval } of judged.arms) {
      if (supports === null || interval === null) {
        unknown++;
        continue;
      }
      const truth = variant === 'control' ? truths[0] : truths[1];
      const half = Math.log(interval.high / interval.low) / 2;
      arms.push({ isHeld: holds(interval, truth), half, off: Math.log(supports / truth) });
    }
    const verdict = judged.repeat?.verdict;
    if (verdict === 'higher' || verdict === 'lower') alarms++;
    const found = judged.changes[0]?.interval;
    if (found === undefined || found === null) continue;
    const [low, high] = [1 + found[0] / 100, 1 + found[1] / 100];
    changes.push({ isHeld: holds({ low, high }, change), half: Math.log(high / low) / 2 });
  }
  const share = (all: readonly { isHeld: boolean }[]): string =>
    percent(all.filter(({ isHeld }) => isHeld).length / all.length);
  return [
    one.waits,
    one.of,
    one.machine,
    `${truths.map((truth) => truth.toFixed(1)).join(', ')}: +${percent(change - 1)}`,
    share(arms),
    `±${percent(mean(arms.map(({ half }) => half)))}`,
    percent(mean(arms.map(({ off }) => off))),
    share(changes),
    `±${percent(mean(changes.map(({ half }) => half)))}`,
    percent(alarms / sessions),
    (rounds / sessions).toFixed(1),
    String(unknown),
  ];
}

const cases = (['quiet', 'usual'] as const).flatMap((machine) =>
  kindsOfWaits.flatMap((waits) =>
    (['connections', 'rate', 'users'] as const).map((of): Case => ({ of, waits, machine })),
  ),
);
const chosen = cases.filter(({ of, waits, machine }) => `${waits} ${of} ${machine}`.includes(values.only));
const head = ['waits', 'by', 'machine', 'truth', 'held', 'half-width', 'off by', 'change held', 'half-width'];
const rows = chosen.map((one) => {
  const row = rowOf(one);
  console.error(row.join(' | '));
  return row;
});
console.log(markdownTable([[...head, 'control differs from itself', 'rounds', 'without a number'], ...rows]));
