import type { Random } from '../../src/base/random.ts';
import type { CapacityGuess } from '../../src/journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../src/journal/capacity/capacity-spec.ts';
import type { CapacityPoint } from '../../src/judge/read/rounds/capacity-points.ts';
import { looks } from '../../src/judge/stats/looks.ts';
import {
  type CapacityData,
  decideCapacity,
  type JudgedCapacities,
  judgeCapacities,
} from '../../src/judge/verdicts/capacity/judge-capacities.ts';
import {
  isSwept,
  type SweptLevel,
  searchSizes,
  sweptGuesses,
  sweptSizes,
} from '../../src/measure/plan/capacity-levels.ts';
import { testScenario } from '../fixtures/scenario.ts';

/** A session that is simulated: all that is real is how levels are chosen, and how they are judged. */
export interface SimulatedSession {
  readonly range: Pick<CapacitySpec, 'of' | 'from' | 'to'>;
  readonly limit: number;
  /** The variants beside the control, which has two arms. */
  readonly variants: readonly string[];
  readonly mostRounds: number;
  /** What a metric is in one slice of an arm: `arm` 0 and 1 are the control's. */
  readonly measure: (arm: number, round: number, load: number, seconds: number) => number;
  readonly sliceS: number;
  /** How much of its time the turns of an arm hide. */
  readonly hiddenShare?: (arm: number) => number;
}

/** Runs a session to its end, as run/ does: up through the range, then rounds around what is known, until nothing is open. */
export function simulateSession({
  range,
  limit,
  variants,
  mostRounds,
  measure,
  sliceS,
  hiddenShare = () => 0,
}: SimulatedSession): {
  readonly judged: JudgedCapacities;
  readonly rounds: number;
} {
  const names = ['control', 'control', ...variants];
  const scenario = testScenario();
  const spec: CapacitySpec = { ...range, until: [{ metric: 'p95_ms', most: limit }] };
  const points = names.map((): CapacityPoint[] => []);
  const see = (arm: number, round: number, load: number, seconds: number, wanted: boolean): number => {
    const value = measure(arm, round, load, seconds);
    points[arm]?.push({
      round,
      load,
      wanted,
      generatorBusy: false,
      machineBusy: false,
      answers: 1000,
      values: new Map([['p95_ms', value]]),
    });
    return value / limit;
  };
  const dataAfter = (rounds: number, isEnd: boolean): CapacityData => ({
    scenario: {
      ...scenario,
      control: 'control',
      variants: [...new Set(names)].map((name) => ({ name, factors: {}, env: {} })),
      load: { ...scenario.load, levels: [], capacity: spec },
    },
    quick: false,
    rounds: Array.from({ length: rounds }, (_, i) => i + 1),
    course: { rounds, ends: isEnd ? [rounds] : [] },
    capacity: names.map((variant, arm) => ({
      variant,
      repeat: arm === 1,
      points: points[arm] ?? [],
      hiddenShare: hiddenShare(arm),
    })),
  });
  const swept: SweptLevel[] = [];
  for (const size of sweptSizes(range)) {
    swept.push({ size, stress: new Map(names.map((_, arm) => [String(arm), see(arm, 1, size, 2, false)])) });
    if (isSwept(swept)) break;
  }
  let guesses: readonly CapacityGuess[] = sweptGuesses(swept, range);
  for (let round = 1; ; round++) {
    for (const load of searchSizes(guesses, range)) for (const arm of names.keys()) see(arm, round, load, sliceS, true);
    const judged = judgeCapacities(dataAfter(round, round === mostRounds));
    if (judged === null) throw new Error('no question');
    const decision = decideCapacity(judged, scenario.marginPercent);
    if (round === mostRounds || (looks.includes(round) && decision.open === 0)) return { judged, rounds: round };
    guesses = decision.guesses;
  }
}

/** By arm and round a number of its own, the same however often it is asked for. */
export function perRound(random: Random, of: (random: Random) => number): (arm: number, round: number) => number {
  const known = new Map<string, number>();
  return (arm, round) => {
    const key = `${arm} ${round}`;
    const value = known.get(key) ?? of(random);
    known.set(key, value);
    return value;
  };
}
