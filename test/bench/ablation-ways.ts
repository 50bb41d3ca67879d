import { mean, median } from '../../src/judge/stats/moments.ts';
import { ARMS, sumOf, type Turn } from './recorded-turns.ts';

/** By round, then by arm. */
export type Table = readonly (readonly number[])[];

/** Makes of passes (each the turns of one round under one load level) the log rate of each arm. */
export type Way = (passes: readonly (readonly Turn[])[]) => Table;

type Middle = (values: readonly number[]) => number;

const TICK_MS = 10;

const ofArms = (pass: readonly Turn[]): Turn[][] => ARMS.map((arm) => pass.filter((turn) => turn.arm === arm));

/** As it is judged: the logarithm of requests / time over all turns of an arm. */
export const requestsPerTime: Way = (passes) => passes.map((pass) => ofArms(pass).map(logRate));

/** ln of requests / time of some turns; half a request where there is none. */
export function logRate(turns: readonly Turn[]): number {
  return Math.log(
    Math.max(
      0.5,
      sumOf(turns, ({ counted }) => counted),
    ) / sumOf(turns, (turn) => turn.counted_ms),
  );
}

/** A middle of the turns' logarithms, from each of which the level of its cycle is taken off. */
const overCycles =
  (middle: Middle, level: Middle): Way =>
  (passes) =>
    passes.map((pass) => {
      const logs = ofArms(pass).map((own) => own.map((turn) => logRate([turn])));
      const levels = (logs[0] ?? []).map((_, cycle) => level(logs.map((own) => own[cycle] ?? Number.NaN)));
      return logs.map((own) => middle(own.map((value, cycle) => value - (levels[cycle] ?? Number.NaN))));
    });

const withoutQuarters: Middle = (values) => {
  const quarter = Math.floor(values.length / 4);
  return mean([...values].sort((a, b) => a - b).slice(quarter, values.length - quarter));
};

/** Instead of requests / time. */
export const otherEstimates: Readonly<Record<string, Way>> = {
  'mean of logarithms, cycles taken out': overCycles(mean, mean),
  'the same of the middle half': overCycles(withoutQuarters, mean),
  'medians of both': overCycles(median, median),
};

/** What others had of the CPU time that was wanted while an arm had its turns, as a share of it. */
type Disturbance = (own: readonly Turn[]) => number;

/**
 * The slope on what others took is estimated within rounds from values centred on their arms, and taken off each round as
 * the other rounds tell it: what it removes from the rounds that it was fitted to, it would remove from chance as well.
 */
const withoutSlope =
  (disturbance: Disturbance): Way =>
  (passes) => {
    const rates = requestsPerTime(passes);
    const shares = passes.map((pass) => ofArms(pass).map(disturbance));
    return rates.map((row, round) => {
      const others = (table: Table): Table => table.filter((_, other) => other !== round);
      const slope = slopeOf(centred(others(shares)), centred(others(rates)));
      return row.map((rate, arm) => rate - slope * (shares[round]?.[arm] ?? Number.NaN));
    });
  };

/** Without the level of each round and of each arm. */
function centred(table: Table): Table {
  const all = mean(table.map(mean));
  const arms = (table[0] ?? []).map((_, arm) => mean(table.map((row) => row[arm] ?? Number.NaN)));
  return table.map((row) => row.map((value, arm) => value - mean(row) - (arms[arm] ?? Number.NaN) + all));
}

function slopeOf(x: Table, y: Table): number {
  const [xs, ys] = [x.flat(), y.flat()];
  const products = xs.reduce((total, value, i) => total + value * (ys[i] ?? Number.NaN), 0);
  return products / xs.reduce((total, value) => total + value ** 2, 0);
}

const stolenMs = (own: readonly Turn[]): number => TICK_MS * sumOf(own, (turn) => turn.steal_ticks);
const wantedMs = (own: readonly Turn[]): number => stolenMs(own) + TICK_MS * sumOf(own, (turn) => turn.busy_ticks);
const armMs = (own: readonly Turn[]): number => sumOf(own, (turn) => turn.service_cpu_ms + turn.postgres_cpu_ms);

type CpuMs = (own: readonly Turn[]) => number;

/**
 * What the load generator needs for some turns. The recordings do not say; a request's share is what remains on the calm
 * machine, where there is nobody else.
 */
export function generatorMsBy(calm: readonly Turn[]): CpuMs {
  return (own) => {
    const alike = calm.filter((turn) => turn.phase === 'load' && turn.connections === own[0]?.connections);
    const aRequest = (wantedMs(alike) - stolenMs(alike) - armMs(alike)) / sumOf(alike, ({ all }) => all);
    return aRequest * sumOf(own, ({ all }) => all);
  };
}

/** The ways to take the disturbance out by regression. */
export function regressions(generatorMs: CpuMs): Readonly<Record<string, Way>> {
  return {
    'stolen share': withoutSlope((own) => stolenMs(own) / wantedMs(own)),
    'stolen and foreign share': withoutSlope((own) => 1 - (armMs(own) + generatorMs(own)) / wantedMs(own)),
  };
}

/** A change of a turn of one arm, which counts its own turns from 0. */
export type Plant = (turn: Turn, number: number) => Turn;

/** Two ways to lose 10 % of the requests. */
export const losses: readonly Plant[] = [
  (turn) => ({ ...turn, counted: 0.9 * turn.counted }),
  (turn, number) => (number % 4 === 1 ? { ...turn, counted: 0.6 * turn.counted } : turn),
];

/** 10 % fewer requests since each waits for something that needs no CPU: what it all needs falls with them. */
export function waiting(generatorMs: CpuMs): Plant {
  return (turn) => ({
    ...turn,
    counted: 0.9 * turn.counted,
    all: 0.9 * turn.all,
    service_cpu_ms: 0.9 * turn.service_cpu_ms,
    postgres_cpu_ms: 0.9 * turn.postgres_cpu_ms,
    busy_ticks: turn.busy_ticks - (0.1 * (armMs([turn]) + generatorMs([turn]))) / TICK_MS,
  });
}
