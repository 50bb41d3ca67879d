import { parseArgs } from 'node:util';
import { createRandom } from '../../src/base/random.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import { perRound, simulateSession } from '../support/capacity-session.ts';
import { capacityOf, normal, p95, type Queue, simulatedP95 } from '../support/queues.ts';

/**
 * Simulated searches for capacities: `node --import ./src/base/typescript.mjs test/bench/capacity-sessions.ts [--sessions 400] [--use 0.85] [--effect 0]`. An M/M/c queue whose
 * speed differs from round to round and from arm to arm, request by request. How often intervals hold the truth, and how often
 * the variant is falsely (or with an effect, rightly) said to bear more or less.
 */
const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '400' },
    /** Share of the workers' time at the capacity. */
    use: { type: 'string', default: '0.85' },
    workers: { type: 'string', default: '4' },
    /** ln of the speed of the variant over the control's. */
    effect: { type: 'string', default: '0' },
    betweenRounds: { type: 'string', default: '0.03' },
    betweenArms: { type: 'string', default: '0.02' },
    slice: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const [sessions, effect, rounds] = [Number(values.sessions), Number(values.effect), Number(values.rounds)];
const [betweenRounds, betweenArms] = [Number(values.betweenRounds), Number(values.betweenArms)];
const workers = Number(values.workers);
const queue: Queue = { workers, meanMs: (1000 * workers) / 400 };
const limit = p95(queue, { rate: 400 * Number(values.use) });

const faster = (logSpeed: number): Queue => ({ ...queue, meanMs: queue.meanMs * Math.exp(-logSpeed) });
/** The mean over what the speed of a round may be, by its quantiles. */
function truth(logSpeed: number): number {
  const sd = Math.hypot(betweenRounds, betweenArms);
  const random = createRandom('truth');
  const draws = Array.from({ length: 2000 }, () => normal(random) * sd);
  return Math.exp(mean(draws.map((draw) => Math.log(capacityOf(faster(logSpeed + draw), 'rate', limit)))));
}

const truths = { control: truth(0), variant: truth(effect) };
let [held, asked, differ, lengths, made, widths] = [0, 0, 0, 0, 0, 0];
const offs: number[] = [];
const outcomes = new Map<string, number>();
for (let session = 0; session < sessions; session++) {
  const random = createRandom(`${values.seed} ${session}`);
  const shared = perRound(random, normal);
  const own = perRound(random, normal);
  const { judged, rounds: had } = simulateSession({
    range: { of: 'rate', from: 20, to: 2000 },
    limit,
    variants: ['variant'],
    mostRounds: rounds,
    sliceS: Number(values.slice),
    measure(arm, round, load, seconds) {
      const speed = betweenRounds * shared(0, round) + betweenArms * own(arm, round) + (arm === 2 ? effect : 0);
      return simulatedP95(faster(speed), load, seconds, random);
    },
  });
  made += had;
  for (const { variant, outcome, supports, interval } of judged.arms) {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (supports === null || interval === null) continue;
    const real = variant === 'control' ? truths.control : truths.variant;
    asked++;
    offs.push(Math.log(supports / real));
    widths += Math.log(interval.high / interval.low) / 2;
    if (interval.low <= real && real <= interval.high) held++;
  }
  const [change] = judged.changes;
  if (change?.verdict === 'higher' || change?.verdict === 'lower') differ++;
  lengths++;
}
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
console.log(
  `${lengths} sessions of ${(made / lengths).toFixed(1)} rounds; outcomes ${JSON.stringify(Object.fromEntries(outcomes))}`,
);
console.log(
  `truth ${truths.control.toFixed(1)}/s (p95 ${limit.toFixed(1)} ms); held by ${percent(held / asked)} of ${asked} intervals of ±${percent(widths / asked)}; off by ${percent(mean(offs))} on average; higher or lower ${percent(differ / lengths)}`,
);
