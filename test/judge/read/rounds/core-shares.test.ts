import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../src/base/random.ts';
import { type ArmCores, type SeenCpu, shareCores } from '../../../../src/judge/read/rounds/core-shares.ts';

/** A pass as it was, in milliseconds of CPU, and what probes see of it. */
function simulatedPass(random: Random) {
  const between = (low: number, high: number): number => low + (high - low) * random.next();
  const arms = Array.from({ length: random.integer(1, 6) }, () => {
    const loadMs = between(500, 5000);
    return {
      loadMs,
      // Service, Postgres's sessions, generator.
      ownMs: loadMs * (between(0, 1) + between(0, 0.8) + between(0, 0.3)),
      searchMs: random.integer(0, 2) === 0 ? 0 : loadMs * between(0, 1),
    };
  });
  const loadMs = arms.reduce((sum, arm) => sum + arm.loadMs, 0);
  const passMs = loadMs * random.pick([1, between(1, 3)]);
  const cpuCount = random.pick([4, 16]);
  const [others, besideMs] = [between(0, 0.5), loadMs * between(0, 0.2)];
  const searchMs = arms.reduce((sum, arm) => sum + arm.searchMs, 0);
  const machineMs = arms.reduce((sum, arm) => sum + arm.ownMs, 0) + searchMs + besideMs + others * passMs;
  const seen = arms.map(
    (arm): SeenCpu => ({
      loadMs: arm.loadMs,
      own: arm.ownMs / arm.loadMs,
      openSearch: searchMs / passMs,
      // Its threads wait for each other and the disk, too: their time is no CPU time, and in proportion to it.
      openSearchMs: 1.7 * arm.searchMs,
      machineShare: machineMs / (cpuCount * passMs),
      othersShare: others / cpuCount,
    }),
  );
  return { arms, seen, passMs, loadMs, cpuCount, others, besideMs, machineMs };
}

/** All cores under load, by what is known of an arm. */
const coresOf = ({ machineShare }: ArmCores, { own, mean }: ArmCores, cpuCount: number): number =>
  own + cpuCount * (machineShare ?? Number.NaN) - mean;

describe('the cores of a pass', () => {
  it('are shared out once, and add up to what the machine used', () => {
    const random = createRandom(46);
    for (let n = 0; n < 500; n++) {
      const { arms, seen, passMs, loadMs, cpuCount, others, besideMs, machineMs } = simulatedPass(random);
      const shared = shareCores(seen, passMs);
      let usedMs = others * (passMs - loadMs);
      for (const [index, arm] of arms.entries()) {
        const cores = shared[index];
        if (cores === undefined) throw new Error('an arm without cores');
        // Its own, OpenSearch's for it, others, and of what is beside as much as each.
        expect(cores.openSearch ?? 0).toBeCloseTo(arm.searchMs / arm.loadMs, 9);
        expect(cores.own).toBeCloseTo((arm.ownMs + arm.searchMs) / arm.loadMs, 9);
        const all = coresOf(cores, cores, cpuCount);
        expect(all).toBeCloseTo(cores.own + others + besideMs / loadMs, 9);
        usedMs += all * arm.loadMs;
      }
      expect(usedMs / machineMs).toBeCloseTo(1, 9);
    }
  });

  const arm = (more: Partial<SeenCpu>): SeenCpu => ({
    loadMs: 1000,
    own: 1,
    openSearch: null,
    openSearchMs: null,
    machineShare: null,
    othersShare: null,
    ...more,
  });

  it('are nobody’s where OpenSearch works for no index, and each arm’s where its indices are not seen', () => {
    const cores = (ms: readonly (number | null)[]) =>
      shareCores(
        ms.map((openSearchMs) => arm({ openSearch: 0.4, openSearchMs })),
        2000,
      ).map(({ openSearch }) => openSearch);
    expect(cores([0, 0])).toEqual([null, null]);
    expect(cores([null, null])).toEqual([0.4, 0.4]);
    expect(cores([null, 50])).toEqual([null, 0.8]);
  });

  it('are not known where the machine was not seen', () => {
    expect(shareCores([arm({}), arm({ own: 0.5 })], null)).toEqual([
      { own: 1, openSearch: null, mean: 0.75, machineShare: null, othersShare: null },
      { own: 0.5, openSearch: null, mean: 0.75, machineShare: null, othersShare: null },
    ]);
    expect(shareCores([], 100)).toEqual([]);
  });
});
