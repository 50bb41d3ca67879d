import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { type CapacityChange, judgeCapacities } from '../../../../src/judge/verdicts/capacity/judge-capacities.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { normal } from '../../../support/queues.ts';

const names = ['control', 'control', 'variant', 'second', 'third'];
const loads = Array.from({ length: 30 }, (_, i) => Math.round(200 * 1.03 ** i));
const rounds = Array.from({ length: 15 }, (_, i) => i + 1);

/** The change of a variant whose limit is lower by so much in every fifth round. */
function changeWith(seed: number, lowerBy: number): CapacityChange | undefined {
  const random = createRandom(`odd rounds ${seed}`);
  const pointsOf = (arm: number, round: number) => {
    const limit = 400 * Math.exp(0.003 * normal(random)) * (arm === 2 && round % 5 === 3 ? 1 - lowerBy : 1);
    return loads.map((load) => {
      const p95 = 100 * (load / limit) ** 8 * Math.exp(0.05 * normal(random));
      const values = new Map([['p95_ms', p95]]);
      return { round, load, wanted: true, generatorBusy: false, machineBusy: false, answers: 1000, values };
    });
  };
  const scenario = testScenario();
  const capacity = { of: 'connections', from: 50, to: 3000, until: [{ metric: 'p95_ms', most: 100 }] } as const;
  const judged = judgeCapacities({
    scenario: {
      ...scenario,
      control: 'control',
      marginPercent: 10,
      variants: [...new Set(names)].map((name) => ({ name, factors: {}, env: {} })),
      load: { ...scenario.load, levels: [], capacity },
    },
    quick: false,
    rounds,
    course: { rounds: rounds.length, ends: [rounds.length] },
    capacity: names.map((variant, arm) => ({
      variant,
      repeat: arm === 1,
      points: rounds.flatMap((round) => pointsOf(arm, round)),
      hiddenShare: 0,
    })),
  });
  return judged?.changes.find(({ variant }) => variant === 'variant');
}

it('a change of capacities is not `same` where odd rounds withhold that, whatever steps hide', () => {
  const seeds = Array.from({ length: 6 }, (_, seed) => seed);
  const flaky = seeds.flatMap((seed) => changeWith(seed, 0.15) ?? []);
  const noted = flaky.filter(({ notes }) => notes.some(({ kind }) => kind === 'flaky'));
  expect(noted.length).toBeGreaterThanOrEqual(3);
  for (const { verdict } of noted) expect(verdict).toBe('noise');
  for (const seed of seeds) expect(changeWith(seed, 0)).toMatchObject({ verdict: 'same', notes: [] });
});
