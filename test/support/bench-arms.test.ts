import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../src/base/random.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { chiSquareQuantile, fQuantile, sessionVariance, stayingPart } from '../bench/arms/components.ts';
import { explainedBy, type Residue } from '../bench/arms/explain.ts';
import { factsOfCpu } from '../bench/arms/place-facts.ts';
import { readMoments } from '../bench/arms/place-file.ts';
import { readSessions } from '../bench/arms/read-sessions.ts';
import { identicalArms } from '../bench/arms/run-sessions.ts';
import { armsTable } from '../bench/arms/table.ts';
import { normal } from '../judge/journal-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-arms-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Sessions of five arms in six rounds, in which this much stays with an arm. */
function sessions(count: number, stays: number, random: Random): number[][][] {
  return Array.from({ length: count }, () => {
    const arms = Array.from({ length: 5 }, () => stays * normal(random));
    return Array.from({ length: 6 }, () => {
      const round = 0.1 * normal(random);
      return arms.map((arm) => round + arm + 0.03 * normal(random));
    });
  });
}

describe('what stays with an arm', () => {
  it('has the quantiles of textbooks', () => {
    expect(chiSquareQuantile(0.05, 4)).toBeCloseTo(0.7107, 4);
    expect(chiSquareQuantile(0.95, 10)).toBeCloseTo(18.307, 3);
    expect(fQuantile(0.95, 4, 20)).toBeCloseTo(2.8661, 4);
    expect(fQuantile(0.05, 4, 20)).toBeCloseTo(1 / 5.8025, 4);
  });

  it('is told from what a round does, and from chance', () => {
    // Arms at 0, 1 and 2; rounds 10 apart; what is left is -1, 0 and 1, and the same turned.
    const rows = [
      [0, 2, 1],
      [10, 10, 13],
    ];
    // Centred: [-1, 1, 0] and [-1, -1, 2], means [-1, 0, 1].
    expect(sessionVariance(rows)).toMatchObject({
      rounds: 2,
      arms: 3,
      between: { sum: 4, df: 2 },
      within: { sum: 4, df: 2 },
      f: 1,
    });
    expect(sessionVariance(rows)?.p).toBeCloseTo(0.5, 10);
    expect(sessionVariance(rows.slice(1))).toBeNull();
  });

  it.each([
    [0, 0],
    [0.01, 0.93],
    [0.03, 0.93],
  ])(
    'of %d is below its bound as often as promised, and F is an alarm of chance only where nothing stays',
    (stays, least) => {
      const random = createRandom(`arms ${stays}`);
      const found = Array.from({ length: 400 }, () => stayingPart(sessions(12, stays, random)));
      const share = (holds: (part: NonNullable<(typeof found)[number]>) => boolean): number =>
        found.filter((part) => part !== null && holds(part)).length / found.length;
      expect(share(({ upper }) => upper >= stays)).toBeGreaterThanOrEqual(least);
      const alarms = share(({ p }) => p < 0.05);
      if (stays === 0) expect(alarms).toBeLessThan(0.08);
      else expect(alarms).toBeGreaterThan(0.5);
      const variance = found.reduce((sum, part) => sum + (part?.estimate ?? 0) ** 2, 0) / found.length;
      expect(Math.sqrt(variance)).toBeLessThan(1.1 * stays + 0.005);
      expect(Math.sqrt(variance)).toBeGreaterThanOrEqual(0.9 * stays);
      expect(found[0]?.df).toEqual([48, 240]);
    },
  );

  it('is pooled over sessions of unlike length, without those that have no second round', () => {
    const random = createRandom('lengths');
    const [first = [], second = [], third = []] = sessions(3, 0.02, random);
    const part = stayingPart([first, second.slice(0, 4), third.slice(0, 1)]);
    expect(part?.sessions.map(({ rounds }) => rounds)).toEqual([6, 4]);
    expect(part?.df).toEqual([8, 20 + 12]);
    expect(stayingPart([third.slice(0, 1)])).toBeNull();
  });
});

describe('what explains an arm', () => {
  /** The rate follows the fact by this much; `stays`: the fact is an arm's own in all rounds of a session. */
  function residues(slope: number, stays: boolean): Residue[] {
    const random = createRandom('facts');
    return [0, 1, 2, 3, 4, 5].flatMap((session) => {
      const own = [0, 1, 2, 3, 4].map(() => normal(random));
      return [1, 2, 3, 4, 5, 6].flatMap((round) =>
        own.map((fact, arm): Residue => {
          const value = stays ? fact : normal(random);
          const rate = 5 + 0.2 * round + slope * value + 0.02 * normal(random);
          return {
            session: `s${session}`,
            round,
            arm: `${arm}`,
            rate,
            facts: { value, ...(arm > 0 && { other: value }) },
          };
        }),
      );
    });
  }

  it('is a fact that the rate follows, from round to round or for a session', () => {
    const byRound = explainedBy(residues(0.02, false), 'value');
    expect(byRound?.share).toBeGreaterThan(0.35);
    expect(byRound?.percentBySd).toBeGreaterThan(1.5);
    expect(byRound?.p).toBeLessThan(1e-6);
    const forSession = explainedBy(residues(0.02, true), 'value');
    expect(forSession?.ofMeans?.share).toBeGreaterThan(0.8);
    const nothing = explainedBy(residues(0, true), 'value');
    expect(nothing?.share).toBeLessThan(0.05);
  });

  it('is not looked for where an arm lacks the fact, or all have the same', () => {
    expect(explainedBy(residues(0.02, false), 'other')).toBeNull();
    expect(
      explainedBy(
        residues(0.02, false).map((one) => ({ ...one, facts: { value: 3 } })),
        'value',
      ),
    ).toBeNull();
  });
});

describe('where processes ran', () => {
  it('is read from what was watched: by CPU time, the generator where the arm had load', () => {
    const file = join(folder, 'place.jsonl');
    const lines = [
      { t: 1, pid: '7', name: 'node server.js | pgsweep_r1_a0' },
      { t: 1, pid: '8', name: 'postgres: pgsweep pgsweep_r1_a0 127.0.0.1(4000)' },
      { t: 1, pid: '9', name: 'node /x/measure/load/generator-main.js | ' },
      { t: 1, pid: '10', name: 'node server.js | pgsweep_r1_a10' },
      { t: 2, u: { 7: [30, 10], 8: [0, 20], 9: [10, 0], 10: [0, 99] } },
      // Another arm's turn.
      { t: 3, u: { 9: [0, 50], 10: [0, 99] } },
      { t: 4, m: { 7: { rss: 102_400, huge: 2048 } } },
    ];
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"t": 5, "u"`);
    const moments = readMoments(file);
    expect(moments.map(({ t }) => t)).toEqual([2, 3, 4]);
    expect(factsOfCpu(moments, 'pgsweep_r1_a0')).toEqual({
      serviceOnCpu0: 0.75,
      backendsOnCpu0: 0,
      generatorOnCpu0: 1,
      serviceWithGenerator: 0.75,
      serviceWithBackends: 0.25,
      residentMb: 100,
      hugeMb: 2,
    });
    expect(factsOfCpu(moments, 'pgsweep_r2_a0')).toEqual({});
    expect(readMoments(join(folder, 'none.jsonl'))).toEqual([]);
  });
});

it('the scenario is one, and its arms differ in their names alone', () => {
  const { variants, rounds } = parseScenario(identicalArms(7), 'identical.yaml');
  expect(new Set(variants.map(({ name: _, ...rest }) => JSON.stringify(rest))).size).toBe(1);
  expect([variants.length, rounds.min, rounds.max]).toEqual([4, 7, 7]);
});

it('the folder of runs is read whatever version wrote them: arms, places and blocks', () => {
  const runs = join(folder, 'runs');
  for (const name of ['s1', 'other']) {
    mkdirSync(join(runs, name), { recursive: true });
    cpSync('docs/examples/pool-size-run/journal.jsonl', join(runs, name, 'journal.jsonl'));
  }
  const levels = readSessions(runs);
  expect(levels.map(({ connections, residues }) => [connections, residues.length])).toEqual([
    [1, 35],
    [25, 35],
    [50, 35],
  ]);
  const first = levels[0]?.residues.filter(({ round }) => round === 1) ?? [];
  expect(first.map(({ arm, facts }) => [arm, facts.place])).toEqual([
    ['pool=10', 0],
    ['pool=10 (A/A)', 1],
    ['pool=25', 2],
    ['pool=35', 3],
    ['pool=50', 4],
  ]);
  expect(first.every(({ facts }) => (facts.turnsBetween ?? 0) > 3)).toBe(true);
  expect(armsTable(levels)).toMatch(/^\| connections .*\n.*\n\| 1 .*\n\| 25 /);
});
