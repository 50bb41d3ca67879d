import { expect, it } from 'vitest';
import { armsOf } from '../../../../src/measure/plan/arms.ts';
import type { LoadTimes } from '../../../../src/measure/probe/probe.ts';
import type { LiveArm, RoundContext } from '../../../../src/measure/run/round/round-context.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import { takeTurns } from '../../../../src/measure/run/round/take-turns.ts';
import { fakeClock } from '../../../fixtures/fake-clock.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { type FakeWorld, fakeWorld } from '../fake-world.ts';

const WAIT_MS = 9000;
const SLICE_MS = 4000;

/** A round of two arms in whole slices, each of which waits before its load; what its probes and its meter were shown. */
async function inWholeSlices(change: (context: RoundContext, world: FakeWorld) => RoundContext = (same) => same) {
  const scenario = testScenario();
  const levels = [{ connections: 25 }];
  const variants = scenario.variants.slice(0, 2);
  const world = fakeWorld({ ...scenario, variants, load: { ...scenario.load, levels, turn: 'off' } });
  const { clock, context, log } = world;
  const { watch } = context;
  const seen: LoadTimes[] = [];
  const counters = watch.counters && {
    ...watch.counters,
    waitMs: () => 0,
    async beforeLoad() {
      log.push('wait');
      clock.advance(WAIT_MS);
      return 0;
    },
  };
  const meter = watch.meter && {
    ...watch.meter,
    edge: async (ended: number | null, next: number | null) =>
      void log.push(`edge ${ended === null ? '-' : 'arm'} ${next === null ? '-' : 'arm'}`),
  };
  const probes: RoundContext['watch']['probes'] = {
    begin: async () => async (load) => {
      seen.push(load);
      return [];
    },
    endRound: async () => {},
    close: async () => {},
  };
  const round = await runRound(change({ ...context, watch: { ...watch, counters, meter, probes } }, world), 1);
  return { seen, log, phases: round.phases };
}

function runningArm(): LiveArm {
  const [arm] = armsOf(testScenario());
  if (arm === undefined) throw new Error('a scenario without arms');
  const target = {
    url: 'http://arm',
    pid: 1,
    exited: new Promise<string>(() => {}),
    tail: () => [],
    stop: async () => ({ killedAfterMs: null }),
  };
  return { arm, target, database: 'arm', link: null };
}

it('an arm in whole slices is under load from its first request on, and not while its counters are waited for', async () => {
  const { seen, log, phases } = await inWholeSlices();
  expect(seen.map(({ loadMs }) => loadMs)).toEqual([SLICE_MS, SLICE_MS, SLICE_MS]);
  for (const { turns, passMs } of seen) {
    expect(turns.map(({ fromMs, toMs }) => toMs - fromMs)).toEqual([SLICE_MS]);
    expect(passMs).toBe(3 * (WAIT_MS + SLICE_MS));
  }
  expect(phases.sliceMs).toBe(3 * SLICE_MS);
  // What the machine does in a wait is no arm's.
  const lines = log.filter((line) => /^(wait|edge|load .* 4000$)/.test(line));
  const steps = lines.map((line) => line.replace(/load.*/, 'load'));
  const turn = ['wait', 'edge - arm', 'load', 'edge arm -'];
  expect(steps.slice(steps.indexOf('wait'))).toEqual([...turn, ...turn, ...turn]);
});

it('the load of a program that is started for each turn begins when it has started, after that wait', async () => {
  const startupMs = 300;
  const loaded: number[] = [];
  const endingMs = 200;
  const { seen } = await inWholeSlices((context, { clock }) => {
    const { generator } = context.load;
    const open: typeof generator.open = async (job) => {
      const stream = await generator.open(job);
      return {
        ...stream,
        async turn(turn, options) {
          clock.advance(startupMs);
          if (turn.durationMs === SLICE_MS) loaded.push(clock.nowMs());
          const result = await stream.turn(turn, options);
          clock.advance(endingMs);
          return { ...result, startupMs };
        },
      };
    };
    return { ...context, load: { ...context.load, generator: { ...generator, open } } };
  });
  const starts = seen.flatMap(({ turns }) => turns.map(({ fromMs }) => fromMs)).sort((a, b) => a - b);
  expect(starts).toEqual(loaded);
  expect(seen.map(({ loadMs }) => loadMs)).toEqual([SLICE_MS, SLICE_MS, SLICE_MS]);
});

it('work after a turn is in no turn: neither in its time nor in what is sampled under load', async () => {
  const clock = fakeClock();
  const marks: [number | null, number][] = [];
  const times = await takeTurns(
    { clock, signal: new AbortController().signal },
    {
      arms: [runningArm()],
      cycles: [[0], [0]],
      give: async () => clock.advance(100),
      finish: async () => clock.advance(3000),
      onTurn: (under) => marks.push([under, clock.nowMs()]),
    },
  );
  expect(times).toEqual([
    [
      { fromMs: 0, toMs: 100 },
      { fromMs: 3100, toMs: 3200 },
    ],
  ]);
  expect(marks).toEqual([
    [0, 0],
    [null, 100],
    [0, 3100],
    [null, 3200],
  ]);
});

it("probes get turns by the time of day as the pass began, also where it was set since the run's start", async () => {
  const steppedMs = 3_600_000;
  const { seen } = await inWholeSlices((context, { clock }) => {
    const isoNow = (): string => new Date(clock.nowMs() + steppedMs).toISOString();
    return { ...context, io: { ...context.io, clock: { ...clock, isoNow } } };
  });
  for (const { turns } of seen) for (const { fromMs } of turns) expect(fromMs).toBeGreaterThan(steppedMs);
  const lastMs = Math.max(...seen.flatMap(({ turns }) => turns.map(({ toMs }) => toMs)));
  expect(lastMs).toBeLessThan(steppedMs + 600_000);
});
