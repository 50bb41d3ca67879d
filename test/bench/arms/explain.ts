import { mean } from '../../../src/judge/stats/moments.ts';
import { fTest } from './components.ts';

/** One arm in one round of a session, under one load level. */
export interface Residue {
  readonly session: string;
  readonly round: number;
  readonly arm: string;
  /** ln(rate). */
  readonly rate: number;
  /** What is known of it, by name; what is not known is not there. */
  readonly facts: Readonly<Record<string, number>>;
}

/** What a fact explains of the arms' differences within rounds. */
export interface Explained {
  readonly fact: string;
  /** Of arms in rounds. */
  readonly values: number;
  /** Change of the rate in percent by one standard deviation of the fact within rounds. */
  readonly percentBySd: number;
  /** Share of the variance within rounds. */
  readonly share: number;
  readonly f: number;
  readonly p: number;
  /** The same of the means of arms over a session: of what stays. Null where all arms had the same. */
  readonly ofMeans: { readonly share: number; readonly p: number } | null;
}

/**
 * The regression of ln(rate) on each fact by itself, within rounds: both are centred by round, so that what a round does to
 * all its arms has no part in it. Only rounds in which each arm has the fact. `ofMeans` is the regression of an arm's mean over
 * its session on the fact's.
 */
export function explainedBy(all: readonly Residue[], fact: string): Explained | null {
  const rounds = groupedBy(all, ({ session, round }) => `${session} ${round}`);
  const known = rounds.filter((rows) => rows.length > 1 && rows.every(({ facts }) => facts[fact] !== undefined));
  const rows = known.flatMap((own) => {
    const [rate, value] = [mean(own.map((one) => one.rate)), mean(own.map(({ facts }) => facts[fact] ?? 0))];
    return own.map((one) => ({ ...one, x: (one.facts[fact] ?? 0) - value, y: one.rate - rate }));
  });
  const line = lineThrough(rows, rows.length - known.length);
  if (line === null) return null;
  const arms = groupedBy(rows, ({ session, arm }) => `${session} ${arm}`);
  const sessions = new Set(rows.map(({ session }) => session)).size;
  const means = arms.map((own) => ({ x: mean(own.map(({ x }) => x)), y: mean(own.map(({ y }) => y)) }));
  const ofMeans = lineThrough(means, means.length - sessions);
  return {
    fact,
    values: rows.length,
    percentBySd: 100 * line.slope * line.sd,
    share: line.share,
    f: line.f,
    p: line.p,
    ofMeans: ofMeans && { share: ofMeans.share, p: ofMeans.p },
  };
}

/** Least squares through the origin; null where x does not vary, or there is too little. `df`: of the values, the line's included. */
function lineThrough(points: readonly { readonly x: number; readonly y: number }[], df: number) {
  const sum = (of: (point: { readonly x: number; readonly y: number }) => number): number =>
    points.reduce((total, point) => total + of(point), 0);
  const [xx, xy, yy] = [sum(({ x }) => x * x), sum(({ x, y }) => x * y), sum(({ y }) => y * y)];
  if (df < 2 || xx < 1e-18 || yy < 1e-18) return null;
  const explained = (xy * xy) / xx;
  const left = Math.max(1e-18, yy - explained);
  return {
    slope: xy / xx,
    sd: Math.sqrt(xx / df),
    share: explained / yy,
    ...fTest({ sum: explained, df: 1 }, { sum: left, df: df - 1 }),
  };
}

function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()];
}
