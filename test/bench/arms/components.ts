import { gammaTails, incompleteBeta } from '../../../src/judge/stats/distributions.ts';
import { mean } from '../../../src/judge/stats/moments.ts';

/** ln(rate) of identical arms: a row for each round, a column for each arm. */
export type Rounds = readonly (readonly number[])[];

/** An analysis of variance of one session: rounds and arms as factors, what is left as noise. */
export interface SessionVariance {
  readonly rounds: number;
  readonly arms: number;
  /** Sum of squares between the means of arms, over all rounds, and its degrees of freedom. */
  readonly between: Squares;
  /** Arm x round: what neither explains. */
  readonly within: Squares;
  /** Ratio of the mean squares; 1 is expected where nothing stays with an arm. */
  readonly f: number;
  /** How likely an F as large or larger is where nothing stays. */
  readonly p: number;
}

interface Squares {
  readonly sum: number;
  readonly df: number;
}

/** The part that stays with an arm for a whole session, as a standard deviation of ln(rate), from several sessions. */
export interface StayingPart {
  readonly sessions: readonly SessionVariance[];
  /** Scatter of an arm in a round, around its arm and its round. */
  readonly roundSd: number;
  /** 0 where the arms' means differ less than their rounds let expect. */
  readonly estimate: number;
  /** The upper end of a one-sided 95 % interval (Williams 1962, A confidence interval for variance components). */
  readonly upper: number;
  /** Degrees of freedom between arms, and within. */
  readonly df: readonly [between: number, within: number];
  readonly f: number;
  readonly p: number;
}

const LEVEL = 0.05;

/** Two-way analysis of variance without replication (Scheffe 1959, ch. 4); null under two rounds or two arms. */
export function sessionVariance(rows: Rounds): SessionVariance | null {
  const [rounds, arms] = [rows.length, rows[0]?.length ?? 0];
  if (rounds < 2 || arms < 2) return null;
  const centred = rows.map((row) => row.map((value) => value - mean(row)));
  const means = Array.from({ length: arms }, (_, arm) => mean(centred.map((row) => row[arm] ?? 0)));
  const between = { sum: rounds * sumOfSquares(means), df: arms - 1 };
  const left = centred.flatMap((row) => row.map((value, arm) => value - (means[arm] ?? 0)));
  const within = { sum: sumOfSquares(left), df: (arms - 1) * (rounds - 1) };
  return { rounds, arms, between, within, ...fTest(between, within) };
}

/**
 * The variance component of arm x session. Mean squares are pooled over sessions; rounds may be more in some, since the
 * expected mean square between arms is that within plus (its mean number of rounds) x the component. Null where no
 * session has two rounds.
 */
export function stayingPart(sessions: readonly Rounds[]): StayingPart | null {
  const known = sessions.flatMap((rows) => sessionVariance(rows) ?? []);
  if (known.length === 0) return null;
  const between = pooled(known.map((session) => session.between));
  const within = pooled(known.map((session) => session.within));
  const rounds = known.reduce((sum, one) => sum + one.between.df * one.rounds, 0) / between.df;
  const noise = within.sum / within.df;
  const { f, p } = fTest(between, within);
  const low = fQuantile(LEVEL, between.df, within.df);
  const most = (between.sum * (1 - low / f)) / (rounds * chiSquareQuantile(LEVEL, between.df));
  return {
    sessions: known,
    roundSd: Math.sqrt(noise),
    estimate: Math.sqrt(Math.max(0, (between.sum / between.df - noise) / rounds)),
    upper: Math.sqrt(Math.max(0, most)),
    df: [between.df, within.df],
    f,
    p,
  };
}

/** The ratio of two mean squares, and the probability of one as large by chance. */
export function fTest(above: Squares, below: Squares): { readonly f: number; readonly p: number } {
  const f = above.sum / above.df / (below.sum / below.df);
  return { f, p: 1 - fCdf(f, above.df, below.df) };
}

function pooled(parts: readonly Squares[]): Squares {
  return {
    sum: parts.reduce((sum, part) => sum + part.sum, 0),
    df: parts.reduce((sum, part) => sum + part.df, 0),
  };
}

function sumOfSquares(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

/** The F distribution (Abramowitz & Stegun 26.6.2). */
function fCdf(f: number, df1: number, df2: number): number {
  return f <= 0 ? 0 : incompleteBeta((df1 * f) / (df1 * f + df2), df1 / 2, df2 / 2);
}

export function fQuantile(p: number, df1: number, df2: number): number {
  return inverted((x) => fCdf(x, df1, df2), p);
}

export function chiSquareQuantile(p: number, df: number): number {
  return inverted((x) => gammaTails(df / 2, x / 2).below, p);
}

/** By halving: of a distribution on the positive numbers. */
function inverted(cdf: (x: number) => number, p: number): number {
  let [low, high] = [0, 1];
  while (cdf(high) < p) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-12 * high; i++) {
    const middle = (low + high) / 2;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
