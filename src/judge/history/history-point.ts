import { z } from 'zod';
import { PgsweepError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { BRANCH } from '../../journal/run/against-record.ts';
import { namedMetrics } from '../read/metrics/work-metrics.ts';
import type { Summary } from '../summary.ts';
import { type Average, averageValue } from '../verdicts/averages.ts';
import { isUnfitUnder } from '../verdicts/session.ts';

const HISTORY_VERSION = 1;

const pointSchema = z.object({
  version: z.literal(HISTORY_VERSION),
  commit: z.string(),
  /** When the commit was made: the order of the history. */
  committedAt: z.string(),
  subject: z.string().nullable(),
  /** The run's id. A run is added again when it has more rounds. */
  run: z.string(),
  startedAt: z.string(),
  scenario: z.string(),
  control: z.string(),
  /** The variant that is the commit itself, where the others are other commits (`--against`); absent elsewhere. */
  own: z.string().optional(),
  /** Numbers of two runs cannot be compared where any of these differs. */
  machine: z.object({ cpuModel: z.string(), cpuCount: z.number(), memoryBytes: z.number() }),
  postgresVersion: z.string().nullable(),
  /** A digest of its requests; absent in lines that an older pgsweep wrote. */
  work: z.string().optional(),
  /** The fingerprint of its data set; absent where that is not known. */
  dataSet: z.string().optional(),
  rounds: z.number(),
  levels: z.array(z.object({ variant: z.string(), load: z.string(), metrics: z.record(z.string(), z.number()) })),
  changes: z.array(
    z.object({
      variant: z.string(),
      load: z.string(),
      metric: z.string(),
      deltaPercent: z.number(),
      verdict: z.string(),
    }),
  ),
});

/** The summary of one run: a line of the history. */
export interface HistoryPoint extends z.infer<typeof pointSchema> {
  /** Git knows no order of its commit and another of the same second: it is at the place of its measurement. Not in the file. */
  readonly isOrderUnknown?: true;
}

/** The commit that a run measured. */
export interface MeasuredCommit {
  readonly commit: string;
  readonly committedAt: string;
  readonly subject: string | null;
}

/** A run's averages and changes. Throws PgsweepError `usage` for a run whose numbers are not to be believed. */
export function pointOf(summary: Summary, commit: MeasuredCommit): HistoryPoint {
  const { run, session, provenance } = summary;
  if (run.quick) throw new PgsweepError('usage', 'a quick run is for trying things out: it is no point of a history');
  if (session.verdict === 'unfit') {
    throw new PgsweepError('usage', 'the session was unfit, so its numbers are no point of a history', {
      hint: 'Its report says why. Measure again.',
    });
  }
  requireOneCommit(summary);
  const levels = summary.averages.flatMap((average) => {
    const { variant, load, repeat } = average;
    if (repeat || isUnfitUnder(session, load)) return [];
    return [{ variant, load: loadLabel(load), metrics: numbersOf(average) }];
  });
  if (levels.length === 0) throw withoutLevels(summary);
  const { cpuModel, cpuCount, memoryBytes, dataset } = provenance;
  const dataSet = dataset?.fingerprint ?? null;
  return {
    version: HISTORY_VERSION,
    ...commit,
    run: run.id,
    startedAt: run.startedAt,
    scenario: run.scenario,
    control: run.control,
    ...(run.against !== undefined && { own: BRANCH }),
    machine: { cpuModel, cpuCount, memoryBytes },
    postgresVersion: provenance.postgresVersion,
    // A summary of an older pgsweep has none.
    ...((run.work as string | undefined) !== undefined && { work: run.work }),
    ...(dataSet !== null && { dataSet }),
    rounds: run.rounds,
    levels,
    changes: summary.comparisons.flatMap(({ variant, load, metric, deltaPercent, verdict }) =>
      deltaPercent === null || isUnfitUnder(session, load)
        ? []
        : [{ variant, load: loadLabel(load), metric, deltaPercent, verdict }],
    ),
  };
}

/** The reason why a run has no load level that its history could draw. */
function withoutLevels({ capacity, search }: Summary): PgsweepError {
  if (capacity !== null)
    return new PgsweepError('usage', 'the run asked for a capacity: it has no load level that runs could share', {
      hint: 'Add a run with fixed load levels (load.connections, load.rate or load.users).',
    });
  const isSearching = search?.confirmed === null;
  const why = isSearching ? 'its search has confirmed no setting yet' : 'none of its load levels has values that count';
  return new PgsweepError('usage', `the run is no point of a history: ${why}`, {
    hint: isSearching ? 'Resume it.' : 'Its report says why. Measure again.',
  });
}

/** Rounds of two commits are no point of either. Snapshots of a comparison stay what they were. */
function requireOneCommit({ run, notes }: Summary): void {
  if (run.against !== undefined) return;
  const changes = notes.flatMap((note) => (note.kind === 'resumed-elsewhere' ? note.changes : []));
  const change = changes.find(({ name }) => /^(gitCommit|variantCommits\..*)$/.test(name));
  if (change === undefined) return;
  const [before, after] = [change.before, change.after].map((commit) =>
    commit === null ? 'no commit' : shortCommit(String(commit)),
  );
  throw new PgsweepError('usage', `the run was resumed at another commit (${before}, then ${after})`, {
    hint: 'A point of a history has rounds of one commit. Measure again.',
  });
}

/** A commit in few characters, for people: `1a2b3c4d+changes`. */
export function shortCommit(commit: string): string {
  const [name = '', ...changes] = commit.split('+');
  return [name.slice(0, 8), ...changes].join('+');
}

function numbersOf(average: Average): Record<string, number> {
  const values = namedMetrics.map(({ name }) => [name, averageValue(average, name)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/**
 * The points of a history, in the order of their commits. A run that was extended has a line for each time that it was added: the
 * one with most rounds counts. Throws PgsweepError `usage` with the line that is none.
 */
export function parseHistory(place: string, text: string): HistoryPoint[] {
  const points = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(place, line, index + 1)]));
  const most = new Map<string, HistoryPoint>();
  for (const point of points) {
    const before = most.get(point.run);
    if (before === undefined || point.rounds > before.rounds) most.set(point.run, point);
  }
  return [...most.values()].sort(
    (a, b) => timeOf(a.committedAt) - timeOf(b.committedAt) || timeOf(a.startedAt) - timeOf(b.startedAt),
  );
}

function parseLine(place: string, line: string, number: number): HistoryPoint {
  try {
    return pointSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new PgsweepError('usage', `${place}:${number}: the line is no point of a history`, {
      hint: 'Fix or remove it; `pgsweep history add` adds its run again.',
      cause,
    });
  }
}

/**
 * The points with commits of the same second in git's order: a rebase makes many in one, which may be measured in any
 * order. `ordered` gives those of the commits that git knows, parents first.
 */
export function inCommitOrder(
  points: readonly HistoryPoint[],
  ordered: (commits: readonly string[], since: string) => readonly string[],
): HistoryPoint[] {
  const seconds = groupBy(points, ({ committedAt }) => timeOf(committedAt));
  const tied = seconds.filter((second) => new Set(second.map(({ commit }) => commit)).size > 1);
  const [first] = tied[0] ?? [];
  if (first === undefined) return [...points];
  const commits = ordered([...new Set(tied.flat().map(({ commit }) => commit))], first.committedAt);
  const places = new Map(commits.map((commit, place) => [commit, place]));
  const placeOf = ({ commit }: HistoryPoint): number => places.get(commit) ?? Number.NaN;
  return seconds.flatMap((second) => {
    if (!tied.includes(second)) return second;
    if (second.every(({ commit }) => places.has(commit))) return second.sort((a, b) => placeOf(a) - placeOf(b));
    return second.map((point) => ({ ...point, isOrderUnknown: true as const }));
  });
}

function timeOf(text: string): number {
  return Date.parse(text);
}
