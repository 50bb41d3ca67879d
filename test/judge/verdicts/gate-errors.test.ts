import { expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { memoizeBy } from '../../../src/judge/read/memoize-by.ts';
import { type Evidence, type Interval, sharedAndOwnBounds } from '../../../src/judge/stats/interval.ts';
import { looks } from '../../../src/judge/stats/looks.ts';
import { robustFit } from '../../../src/judge/stats/robust-fit.ts';
import { toPercent } from '../../../src/judge/stats/rounding.ts';
import { type GateOutcome, parseGate } from '../../../src/judge/verdicts/gate.ts';
import { judgeChanges } from '../../../src/judge/verdicts/gates.ts';
import { noises, simulateSession } from '../../bench/verdicts-session.ts';
import { normal } from '../journal-fixture.ts';

const SESSIONS = 400;
const VARIANTS = 3;
const LIMIT_PERCENT = -5;

/**
 * What a gate at -5 % says of variants that are all just 5 % slower, look by look up to `last` rounds, whatever was said
 * before: a session that never stops early makes the most mistakes.
 */
function session(seed: number, last: number): GateOutcome[][] {
  const random = createRandom(seedOf('gate errors', seed));
  const effect = Math.log1p(LIMIT_PERCENT / 100);
  const rows = Array.from({ length: last }, () =>
    Array.from({ length: VARIANTS + 2 }, (_, arm) => 0.04 * normal(random) + (arm < 2 ? 0 : effect)),
  );
  return looks.filter((n) => n <= last).map((n) => decisionsAt(rows.slice(0, n), n === last));
}

function decisionsAt(rows: readonly (readonly number[])[], isEnd: boolean): GateOutcome[] {
  const fit = robustFit(rows);
  if (fit === null) return [];
  const n = rows.length;
  const changes = Array.from({ length: VARIANTS }, (_, variant) => {
    const ratios = fit.values.map((row) => (row[variant + 2] ?? 0) - ((row[0] ?? 0) + (row[1] ?? 0)) / 2);
    const evidence: Evidence = {
      ratios,
      weights: ratios.map(() => 1),
      spread: { ...fit.noise, variance: 1.5 * fit.noise.variance },
      course: { rounds: n, ends: isEnd ? [n] : [] },
      comparisons: VARIANTS,
    };
    const found = sharedAndOwnBounds(evidence);
    const percent = ({ low, high }: Interval) => [toPercent(low), toPercent(high)] as const;
    const bounds = found && { shared: percent(found.shared), own: percent(found.own) };
    const common = { load: { connections: 1 }, metric: 'requests_per_s', deltaPercent: null, notes: [], evidence };
    return { ...common, variant: `v${variant}`, bounds };
  });
  const gates = [parseGate(`rps > ${LIMIT_PERCENT}%`)];
  return judgeChanges(changes, { gates, unclear: 'fail', roundMs: null }).map(({ outcome }) => outcome);
}

const played = memoizeBy(String, (last: number) => Array.from({ length: SESSIONS }, (_, seed) => session(seed, last)));

/** In what share of sessions this was so at some look. Seeded: it cannot be another tomorrow. */
function shareOf(last: number, isWrong: (atLook: readonly GateOutcome[]) => boolean): number {
  return played(last).filter((atLooks) => atLooks.some(isWrong)).length / SESSIONS;
}

// 2.5 % and 5 %, and three standard errors of 400 sessions.
test.each([40, 6])('at the limit, in %d rounds, any of a family fails in one session of forty', (last) => {
  const share = shareOf(last, (outcomes) => outcomes.includes('fail'));
  expect(share).toBeGreaterThan(0.002);
  expect(share).toBeLessThan(0.025 + 0.0235);
});

test.each([40, 6])('at the limit, in %d rounds, one passes in one session of twenty', (last) => {
  const share = shareOf(last, ([first]) => first === 'pass');
  expect(share).toBeGreaterThan(0.01);
  expect(share).toBeLessThan(0.05 + 0.033);
});

test.each([40, 6])('at the limit, in %d rounds, all of them pass in fewer', (last) => {
  const share = shareOf(last, (outcomes) => outcomes.length > 0 && outcomes.every((outcome) => outcome === 'pass'));
  expect(share).toBeLessThan(0.05);
});

test('so it is for sessions as they run, with noise like that of a machine, that stop when their gates are decided', () => {
  const gates = [parseGate(`rps > ${LIMIT_PERCENT}%`)];
  const sessions = Array.from({ length: 15 }, (_, seed) => {
    const effect = (): number => Math.log1p(LIMIT_PERCENT / 100);
    return simulateSession({ noise: noises.typical, variants: 2, loads: 1, effect, gates }, seed);
  });
  const outcomes = sessions.map((session) => session.gates.map(({ outcome }) => outcome));
  expect(outcomes.filter((all) => all.includes('fail')).length).toBeLessThanOrEqual(2);
  expect(outcomes.filter((all) => all.every((outcome) => outcome === 'pass')).length).toBeLessThanOrEqual(2);
  expect(sessions.filter(({ rounds }) => rounds === 40).length).toBeGreaterThan(9);
});

test('what is far from its limit is decided, and right', () => {
  const gates = [parseGate(`rps > ${LIMIT_PERCENT}%`)];
  for (const [effect, outcome] of [
    [0, 'pass'],
    [-0.12, 'fail'],
  ] as const) {
    const sessions = Array.from({ length: 10 }, (_, seed) =>
      simulateSession({ noise: noises.typical, variants: 1, loads: 1, effect: () => effect, gates }, seed),
    );
    const right = sessions.filter((session) => session.gates.every((result) => result.outcome === outcome));
    expect(right.length).toBeGreaterThanOrEqual(9);
  }
});
