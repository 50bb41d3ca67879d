import { expect, it } from 'vitest';
import { JOURNAL_VERSION } from '../../../src/journal/records.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { planRest } from '../../../src/measure/plan/run-plan.ts';
import { runSweep } from '../../../src/measure/run/run-sweep.ts';
import { fixtureProvenance } from '../../judge/journal-fixture.ts';
import { comparison } from '../../judge/small-run.ts';
import { plantedScenario, withBench } from '../../measure/validity/live-bench.ts';

const bench = withBench();
const ROUNDS = 6;
const load = 'connections: 4, slice: 600ms, drop: 100ms, warmup: 400ms';

/** A whole sweep against the planted service, judged as any other. */
async function judged(scenario: ResolvedScenario) {
  const context = await bench.context(scenario);
  await runSweep({
    ...context,
    plan: planRest(scenario),
    firstRound: 1,
    decideStop: () => ({ stop: false, undecided: 1 }),
    startedAtMs: context.io.clock.nowMs(),
    quick: false,
  });
  const run = {
    type: 'run',
    version: JOURNAL_VERSION,
    id: 'planted',
    startedAt: new Date().toISOString(),
    seed: 1,
    quick: false,
    scenario,
    provenance: fixtureProvenance,
    withoutCounters: 'no database',
    setUpMs: 0,
  } as const;
  return comparison(summarize({ run, records: [...bench.records], warnings: [] }), 'requests_per_s', 'Variant');
}

const planted = (env: Record<string, string>): ResolvedScenario => ({
  ...plantedScenario(env, load),
  rounds: { min: ROUNDS, max: ROUNDS, budgetMs: 600_000 },
});

it('a planted cost of half a request is found with the right sign and size', { timeout: 120_000 }, async () => {
  const { deltaPercent, verdict, rounds } = await judged(planted({ COST_SHARE: '0.5', BUSY_MS: '1' }));
  expect(rounds).toBe(ROUNDS);
  // 1 / 1.5 = -33 % of the busy loop; the rest of a request costs the same in both.
  expect(deltaPercent).toBeGreaterThan(-50);
  expect(deltaPercent).toBeLessThan(-15);
  expect(['lower', 'noise', 'unfit']).toContain(verdict);
});

it('the same service against itself is neither higher nor lower', { timeout: 120_000 }, async () => {
  const { deltaPercent, verdict } = await judged(planted({}));
  expect(Math.abs(deltaPercent ?? Number.NaN)).toBeLessThan(20);
  expect(['same', 'noise', 'unfit']).toContain(verdict);
});
