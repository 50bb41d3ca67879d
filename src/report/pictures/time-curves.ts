import { ofName } from '../../base/by-name.ts';
import { sliceTraitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { CourseOfRequests } from '../../journal/slice-record.ts';
import type { CourseOfSlice } from '../../judge/read/cells/cell.ts';
import { type Metric, metrics } from '../../judge/read/metrics/metrics.ts';
import { isOfProcess, processName } from '../../judge/read/metrics/probe-values.ts';
import type { ArmCell, RunData } from '../../judge/read/run-data.ts';
import { mean, standardDeviation } from '../../judge/stats/moments.ts';
import { probeMetric } from '../../judge/verdicts/compare-probes.ts';
import type { SampledSeries, Samples } from '../read-samples.ts';
import { processWords } from '../words/process-words.ts';
import type { DrawnArm } from './drawn-arms.ts';
import { type Line, linearAxis, type Plot, type Point, rangeOf, roundsAxis } from './plot.ts';
import { valuesByRound } from './round-curves.ts';

/** Pictures of samples for a load level, besides rates and CPU; bounded runs are made for them. */
const MOST_SAMPLED = 5;
const MOST_SAMPLED_BOUNDED = 15;
/** Kinds of request whose latency is drawn in the course of whole slices. */
const MOST_REQUESTS = 6;
/** Processes that have their own pictures; forty instances would be forty of the same. */
const MOST_PROCESSES = 8;
/** Points of a line over all rounds; more would lie on each other. */
const MOST_POINTS = 240;

/** Shown in any run that has them, by round. */
const byRound: readonly { readonly metric: Metric; readonly title: string; readonly scale: number }[] = [
  ...metrics
    .filter(({ name }) => name === 'latency_mean_ms' || name === 'latency_p99_ms')
    .map((metric) => ({ metric, title: metric.label, scale: 1 })),
  { metric: probeMetric('service_cpu_cores'), title: 'CPU of the service, cores', scale: 1 },
  { metric: probeMetric('postgres_cpu_cores'), title: 'CPU of Postgres, cores', scale: 1 },
  { metric: probeMetric('service_memory_max_bytes'), title: 'memory of the service, MB', scale: 1e-6 },
  { metric: probeMetric('postgres_memory_max_bytes'), title: 'memory of Postgres, MB', scale: 1e-6 },
  {
    metric: probeMetric('event_loop_active_seconds_per_s'),
    title: 'event loop at work, share of the time',
    scale: 1,
  },
];

const roles = {
  service: 'the service',
  postgres: 'Postgres',
  opensearch: 'OpenSearch',
  generator: 'the load generator',
};

/** Series that are always drawn of a bounded run, even if arms do not differ. */
const alwaysInCourse = [
  ...Object.entries(roles).flatMap(([role, who]) => [
    { name: `${role}_cpu_cores`, title: `CPU of ${who}, cores, in the course of a slice`, scale: 1 },
    { name: `${role}_memory_bytes`, title: `memory of ${who}, MB, in the course of a slice`, scale: 1e-6 },
  ]),
  { name: 'connections_sessions', title: 'database sessions, in the course of a slice', scale: 1 },
];

/** CPU and memory of each process, where the service has several. */
function byProcess(data: RunData, arms: readonly DrawnArm[], load: LoadLevel): typeof byRound {
  const known = arms.flatMap(({ cells }) => Object.keys(data.merged(cells(load))?.probes ?? {}));
  return [...new Set(known.filter(isOfProcess).map(processName))].slice(0, MOST_PROCESSES).flatMap((process) => [
    {
      metric: probeMetric(`service_cpu_cores{process="${process}"}`),
      title: `CPU of ${processWords(process)}, cores`,
      scale: 1,
    },
    {
      metric: probeMetric(`service_memory_max_bytes{process="${process}"}`),
      title: `memory of ${processWords(process)}, MB`,
      scale: 1e-6,
    },
  ]);
}

/** By round, what an arm did in equal parts of a pass. */
type Parts = ReadonlyMap<number, readonly (number | null)[]>;

/**
 * Curves of a run over time under a load level, control and variants over each other, round beside round. 2xx/s goes by
 * turns; latency, CPU and memory by rounds; of the samples those in which arms differ most.
 */
export function timeCurves(data: RunData, arms: readonly DrawnArm[], load: LoadLevel, samples: Samples): Plot[] {
  const plot = (title: string, partsOf: (cell: ArmCell) => Parts): Plot[] => {
    const lines = arms.map(({ name, style, cells }): Line => {
      const own = cells(load).map(partsOf);
      return { name, style, points: pointsOf(data.rounds, own) };
    });
    const values = lines.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));
    return values.length === 0 ? [] : [{ title, x: roundsAxis(data.rounds), y: linearAxis('', values), lines }];
  };
  const { showsCourse } = sliceTraitsOf(data.scenario.load);
  const always = showsCourse ? alwaysInCourse : [];
  const inCourse = always.flatMap(({ name, title, scale }) => {
    const series = samples.series.find((one) => one.name === name);
    return series === undefined ? [] : plot(title, (cell) => scaled(series.of(cell), scale));
  });
  const sampled = samples.series
    .filter(({ name }) => always.every((one) => one.name !== name))
    .map((series) => ({ series, difference: differenceOf(series, arms, load) }))
    .filter(({ difference }) => difference !== null)
    .sort((a, b) => (b.difference ?? 0) - (a.difference ?? 0))
    .slice(0, showsCourse ? MOST_SAMPLED_BOUNDED : MOST_SAMPLED);
  return [
    ...plot('2xx/s, by turns', (cell) => data.turnRates(cell)),
    ...coursesOf(data, arms, load).flatMap(({ title, read }) => plot(title, (cell) => courseParts(data, cell, read))),
    ...inCourse,
    ...[...(inCourse.length > 0 ? [] : byRound), ...byProcess(data, arms, load)].flatMap(({ metric, title, scale }) =>
      plot(title, (cell) => valuesOf(data, metric, scale, cell)),
    ),
    ...sampled.flatMap(({ series }) => plot(titleOf(series.name), series.of)),
  ];
}

type ReadCourse = (course: CourseOfSlice) => readonly (number | null)[];

/** 2xx/s in each part, of its time within the slice's window; null of a part that is hardly in it. */
function ratesOf({ ok, partMs, windowMs }: CourseOfSlice): (number | null)[] {
  return ok.map((count, part) => {
    const ownMs = Math.min(partMs, windowMs - part * partMs);
    return ownMs < LEAST_OF_PART * partMs ? null : (1000 * count) / ownMs;
  });
}

const LEAST_OF_PART = 0.1;

/** Curves in the course of whole slices: rates, latency, and the latency of each kind of request. */
function coursesOf(
  data: RunData,
  arms: readonly DrawnArm[],
  load: LoadLevel,
): { readonly title: string; readonly read: ReadCourse }[] {
  const courses = arms.flatMap(({ cells }) => cells(load).flatMap((cell) => [...data.courses(cell).values()]));
  const names = [...new Set(courses.flatMap(({ byRequest }) => Object.keys(byRequest)))].slice(0, MOST_REQUESTS);
  const inMs = ({ ok, meanUs }: CourseOfRequests): (number | null)[] =>
    meanUs.map((us, part) => ((ok[part] ?? 0) === 0 ? null : us / 1000));
  return [
    { title: '2xx/s, in the course of a slice', read: ratesOf },
    { title: 'mean ms, in the course of a slice', read: inMs },
    { title: 'p99 ms, in the course of a slice', read: ({ ok, p99Us }) => inMs({ ok, meanUs: p99Us }) },
    ...names.map((name) => ({
      title: `mean ms of ${name}`,
      read: ({ byRequest }: CourseOfSlice) => inMs(ofName(byRequest, name) ?? { ok: [], meanUs: [] }),
    })),
  ];
}

function scaled(parts: Parts, scale: number): Parts {
  return new Map(
    [...parts].map(([round, values]) => [round, values.map((one) => (one === null ? null : scale * one))]),
  );
}

function courseParts(data: RunData, cell: ArmCell, read: ReadCourse): Parts {
  return new Map([...data.courses(cell)].map(([round, course]) => [round, read(course)]));
}

function titleOf(name: string): string {
  const sessions = /^(.*)_sessions$/.exec(name)?.[1];
  const words: Readonly<Record<string, string>> = {
    connections: 'database sessions',
    busy: 'database sessions in a transaction or statement',
    idle_in_transaction: 'sessions idle in a transaction',
    cpu: 'sessions that wait for nothing (CPU)',
    lock: 'sessions that wait for a lock',
    lwlock: 'sessions that wait for a lightweight lock',
    io: 'sessions that wait for IO',
    client: 'sessions that wait for their client',
    other: 'sessions that wait for something else',
  };
  return (sessions !== undefined && Object.hasOwn(words, sessions) ? words[sessions] : undefined) ?? name;
}

function valuesOf(data: RunData, metric: Metric, scale: number, cell: ArmCell): Parts {
  return new Map([...valuesByRound(data, metric, cell)].map(([round, value]) => [round, [scale * value]]));
}

/**
 * The distance between the arms' means, in standard deviations of the values of one arm. Null where it never changes in
 * an arm, as a setting does.
 */
function differenceOf(series: SampledSeries, arms: readonly DrawnArm[], load: LoadLevel): number | null {
  const all = arms.map(({ cells }) => cells(load).flatMap((cell) => [...series.of(cell).values()].flat()));
  const values = all.map((one) => one.flatMap((value) => value ?? [])).filter((one) => one.length > 1);
  const variance = mean(values.map((one) => standardDeviation(one) ** 2));
  if (!(variance > 0)) return null;
  const [least, most] = rangeOf(values.map(mean));
  return (most - least) / Math.sqrt(variance);
}

/** The rounds side by side, with gaps between them. Of several cells (the control's two arms) the means. */
function pointsOf(rounds: readonly number[], cells: readonly Parts[]): Point[] {
  const most = Math.max(1, Math.floor(MOST_POINTS / Math.max(1, rounds.length)));
  return rounds.flatMap((round, at): Point[] => {
    const own = cells.flatMap((cell) => cell.get(round) ?? []);
    const parts = Math.max(0, ...cells.map((cell) => cell.get(round)?.length ?? 0));
    if (own.length === 0) return [{ x: at + 0.5, y: null }];
    const shown = Math.min(parts, most);
    const points = Array.from({ length: shown }, (_, place): Point[] => {
      const [from, to] = [Math.floor((place * parts) / shown), Math.floor(((place + 1) * parts) / shown)];
      const values = cells.flatMap((cell) => (cell.get(round) ?? []).slice(from, to).flatMap((value) => value ?? []));
      return values.length === 0 ? [] : [{ x: at + (place + 0.5) / shown, y: mean(values) }];
    }).flat();
    // A round that is a single point is joined to its neighbours; parts of a pass end with it.
    return shown > 1 ? [...points, { x: at + 1, y: null }] : points;
  });
}
