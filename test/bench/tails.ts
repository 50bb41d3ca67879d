import { answersFor, type NamedPercentile } from '../../src/journal/run/percentiles.ts';
import type { Goal } from './goal.ts';
import { shapes, simulateTails } from './tails-session.ts';

const SESSIONS = 400;
const COVERAGE = 0.93;
const FALSE_ALARMS = 0.05;
const noise = { startSd: 0.05, tailSd: 0.3 };

/** Simulated sessions whose latencies have a known percentile: do intervals hold it, and how often is a family wrong? */
export function benchTails(): Goal[] {
  return shapes.flatMap((shape) => [
    ...([95, 99] as const).flatMap((percent) => [4, 8, 20].map((rounds) => coverage(shape, percent, rounds))),
    falseAlarms(shape, 99),
  ]);
}

type Shape = (typeof shapes)[number];

function coverage(shape: Shape, percent: NamedPercentile, rounds: number): Goal {
  const answers = Math.ceil(answersFor(percent) / rounds);
  const plan = { ...noise, shape, percent, rounds, answers, variants: 1, effect: 0.2 };
  const share = shareOf((seed) => simulateTails(plan, seed).held);
  return {
    name: `${shape.name}: p${percent} of ${rounds} rounds with ten answers above it: intervals at 95 % that hold the truth`,
    measured: `${(100 * share).toFixed(1)} % of ${SESSIONS}`,
    goal: `>= ${100 * COVERAGE} %`,
    reached: share >= COVERAGE - error(COVERAGE),
  };
}

function falseAlarms(shape: Shape, percent: NamedPercentile): Goal {
  const plan = { ...noise, shape, percent, rounds: 12, answers: 250, variants: 6, effect: 0 };
  const share = shareOf((seed) => simulateTails(plan, seed).alarm);
  return {
    name: `${shape.name}: p${percent} of six variants without a difference, a look after each of 12 rounds: any false alarm`,
    measured: `${(100 * share).toFixed(1)} % of ${SESSIONS}`,
    goal: `<= ${100 * FALSE_ALARMS} %`,
    reached: share <= FALSE_ALARMS + error(FALSE_ALARMS),
  };
}

function shareOf(holds: (seed: number) => boolean): number {
  return Array.from({ length: SESSIONS }, (_, seed) => holds(seed)).filter(Boolean).length / SESSIONS;
}

/** Two standard errors of a share of the sessions. */
function error(share: number): number {
  return 2 * Math.sqrt((share * (1 - share)) / SESSIONS);
}
