/**
 * Does a merge of several machines keep its word? Sessions are simulated, machine by machine, and judged as a merged run is:
 * how often a change that is not there is called one, whether intervals hold what was planted, and what is found.
 *
 *   node --import ./src/base/typescript.mjs test/bench/machines.ts [sessions]
 */
import { pathToFileURL } from 'node:url';
import { markdownTable } from 'markdown-table';
import { createRandom, seedOf } from '../../src/base/random.ts';
import type { JournalRecord, RunRecord } from '../../src/journal/records.ts';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../src/judge/read/metrics/metrics.ts';
import { toPercent } from '../../src/judge/stats/rounding.ts';
import { compareVariants } from '../../src/judge/verdicts/compare.ts';
import { fixtureJournal, fixtureProvenance, normal } from '../judge/journal-fixture.ts';
import type { Goal } from './goal.ts';
import { type Noise, noises, simulatedRound } from './verdicts-session.ts';

/** Machines that rounds of a plan are shared among. */
interface Fleet {
  readonly name: string;
  /** One a machine: how noisy it is, and its ln(speed). */
  readonly machines: readonly { readonly noise: Noise; readonly speed: number }[];
  readonly roundsEach: number;
  /** Standard deviation of a change between machines, as a logarithm. */
  readonly unlike: number;
}

/** What came out of a session with one variant whose change is `planted` on average over all machines that there could be. */
interface Outcome {
  readonly isAlarm: boolean;
  readonly holds: boolean;
  readonly disagree: boolean;
  readonly widthPercent: number;
}

const SESSIONS = 2000;
const PLANTED = Math.log1p(0.05);

const noisier = (factor: number): Noise => ({
  ...noises.typical,
  betweenStarts: factor * noises.typical.betweenStarts,
  withinStart: factor * noises.typical.withinStart,
});
const usual = { noise: noises.typical, speed: 0 };
/** Twice as fast, as the others, and a third slower. */
const speeds = [0.7, 0, -0.4];

const fleets = {
  one: { name: '1 machine, 12 rounds', machines: [usual], roundsEach: 12, unlike: 0 },
  two: { name: '2 machines of 6 rounds', machines: [usual, usual], roundsEach: 6, unlike: 0 },
  speeds: {
    name: '3 machines of 4 rounds, of other speeds',
    machines: speeds.map((speed) => ({ noise: noises.typical, speed })),
    roundsEach: 4,
    unlike: 0,
  },
  shared: {
    name: '3 machines of 4 rounds, other speeds, noise of a shared VM',
    machines: speeds.map((speed) => ({ noise: noises.shared, speed })),
    roundsEach: 4,
    unlike: 0,
  },
  noise: {
    name: '3 machines of 4 rounds, other speeds, noise 1 : 2 : 4',
    machines: [1, 2, 4].map((factor, i) => ({ noise: noisier(factor), speed: speeds[i] ?? 0 })),
    roundsEach: 4,
    unlike: 0,
  },
  single: {
    name: '8 machines of 1 round, one four times as noisy',
    machines: Array.from({ length: 8 }, (_, i) => ({ noise: noisier(i === 0 ? 4 : 1), speed: i / 8 })),
    roundsEach: 1,
    unlike: 0,
  },
  eight: {
    name: '8 machines of 3 rounds, noise 1 : 2',
    machines: Array.from({ length: 8 }, (_, i) => ({ noise: noisier(1 + (i % 2)), speed: i / 8 })),
    roundsEach: 3,
    unlike: 0,
  },
} as const satisfies Record<string, Fleet>;

/** Machines whose changes differ, by standard deviations of the mean of a machine's rounds. */
const unlikeFleets: readonly Fleet[] = [1, 2, 5].flatMap((times) =>
  [fleets.speeds, fleets.eight].map((fleet) => ({
    ...fleet,
    name: `${fleet.name}; changes differ by ${times} times their noise`,
    unlike: (times * 0.037) / Math.sqrt(fleet.roundsEach),
  })),
);

function headOf({ machines }: Fleet): RunRecord {
  const { run } = fixtureJournal({ variants: ['v0', 'v1'], control: 'v0', connections: [1], rounds: 0 });
  const merged = machines.map((_, i) => ({ name: `node-${i}`, shards: [i + 1], provenance: fixtureProvenance }));
  return { ...run, merged: { shards: machines.length, machines: merged } };
}

function simulate(fleet: Fleet, planted: number, seed: number): Outcome {
  const random = createRandom(seedOf('machines', fleet.name, planted, seed));
  const count = fleet.machines.length;
  const records = fleet.machines.flatMap(({ noise, speed }, machine) => {
    const own = planted + fleet.unlike * normal(random);
    const plan = { noise, variants: 1, loads: 1, effect: () => own };
    return Array.from({ length: fleet.roundsEach }, (_, place): JournalRecord[] =>
      simulatedRound(plan, random, { round: 1 + machine + place * count, level: speed }).map((record) =>
        record.type === 'round' ? { ...record, machine } : record,
      ),
    ).flat();
  });
  const data = aggregateRun({ run: headOf(fleet), records: [...records, { type: 'end', at: '', reason: 'rounds' }] });
  const [finding] = compareVariants(data, requestsPerSecond);
  const interval = finding?.interval ?? null;
  if (finding === undefined || interval === null) throw new Error('no interval');
  const [low, high] = interval;
  const truth = toPercent(planted);
  return {
    isAlarm: finding.verdict === 'higher' || finding.verdict === 'lower',
    // That of `same` is of other tests, and holds 0.
    holds: low <= truth && truth <= high,
    disagree: finding.evidence?.machines?.disagree === true,
    widthPercent: high - low,
  };
}

function play(fleet: Fleet, planted: number, sessions: number): Outcome[] {
  return Array.from({ length: sessions }, (_, seed) => simulate(fleet, planted, seed));
}

function shareOf(outcomes: readonly Outcome[], is: (outcome: Outcome) => boolean): number {
  return outcomes.filter(is).length / outcomes.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The goals, with this many sessions of each kind. */
export function benchMachines(sessions = SESSIONS): Goal[] {
  const error = 2 * Math.sqrt((0.05 * 0.95) / sessions);
  const alike = Object.values(fleets).flatMap((fleet: Fleet): Goal[] => {
    const [none, some] = [play(fleet, 0, sessions), play(fleet, PLANTED, sessions)];
    const alarms = shareOf(none, ({ isAlarm }) => isAlarm);
    const held = shareOf(some, ({ holds }) => holds);
    const found = percent(shareOf(some, ({ isAlarm }) => isAlarm));
    const unlike = percent(shareOf(none, ({ disagree }) => disagree));
    return [
      {
        name: `merged, ${fleet.name}: false alarms`,
        measured: `${percent(alarms)} of ${sessions}, ${unlike} called unlike`,
        goal: '<= 5 %',
        reached: alarms <= 0.05 + error,
      },
      {
        name: `merged, ${fleet.name}: intervals that hold 5 %`,
        measured: `${percent(held)}, found in ${found}`,
        goal: '>= 95 %',
        reached: held >= 0.95 - error,
      },
    ];
  });
  const unlike = unlikeFleets.map((fleet): Goal => {
    const none = play(fleet, 0, sessions);
    const alarms = shareOf(none, ({ isAlarm }) => isAlarm);
    const told = percent(shareOf(none, ({ disagree }) => disagree));
    return {
      name: `merged, ${fleet.name}: false alarms about the mean of all such machines`,
      measured: `${percent(alarms)} of ${sessions}, told in ${told}`,
      goal: '<= 10 %',
      reached: alarms <= 0.1 + error,
    };
  });
  return [...alike, ...unlike];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const goals = benchMachines(Number(process.argv[2] ?? SESSIONS));
  const rows = goals.map(({ name, measured, goal, reached }) => [name, measured, goal, reached ? 'reached' : 'MISSED']);
  console.log(markdownTable([['goal', 'measured', 'promised', ''], ...rows]));
}
