import { groupBy } from '../../base/group-by.ts';
import { incompleteBeta, inverseTrigamma, trigamma } from './distributions.ts';
import { mean, median, squares, sum } from './moments.ts';
import { type Bend, type RobustFit, robustFit, type Table } from './robust-fit.ts';
import { moderated, type Spread } from './variance.ts';

/** The values of some arms under one load level. */
export interface ArmTable {
  readonly table: Table;
  /** How much each row counts, 1 on average. */
  readonly weights: readonly number[];
  /** The number of each row: rows with the same number are from the same starts, under other load levels. */
  readonly rows: readonly number[];
  /** The program that the arm of each column runs: both arms of the control run the same one. */
  readonly programs: readonly string[];
}

/** A table with odd values pulled in, and how noisy each of its arms is. */
interface FittedArms {
  readonly fit: RobustFit;
  /** By column, the noise of an arm's value in a row of weight 1. */
  readonly noise: readonly Spread[];
}

/** Tables of several load levels, fitted together. */
interface FittedTables {
  /** In the order of the tables; null where nothing is left to show noise. */
  readonly tables: readonly (FittedArms | null)[];
  /** The variance of each program by its own rounds, in units of what is usual under a load level. */
  readonly programs: ReadonlyMap<string, Spread>;
  /** How far the rounds under one load level say again what those under another say, from 0 to 1. */
  readonly repeated: number;
}

/** A program without any noise is taken for one with this share of the usual variance: a twentieth of the scatter. */
const LEAST_SHARE = 1 / 400;
/** Factors that move by less, as a logarithm, have settled. A very noisy arm takes some steps until its values are no longer pulled in. */
const SETTLED = 0.02;
const MAX_STEPS = 12;

/** By the name of the program, its variance in units of the noise of the load level. */
type Factors = ReadonlyMap<string, Spread>;

/**
 * Fits the tables of all load levels together. How noisy an arm is, is a factor on the noise of its load level. It is known
 * from the arm's own rounds, from those under other load levels as far as they agree, and from other arms as far as these
 * are alike and the arm seems to be one of them. What is odd is judged by the arm's scale. Where most values are equal, such as small
 * whole numbers, arms say nothing of their noise: that level has the noise of all.
 */
export function fitTogether(tables: readonly ArmTable[], bend?: Bend): FittedTables {
  let seen: Seen = { factors: tables.map(() => new Map()), programs: new Map(), repeated: 0 };
  let fits = fitAll(tables, seen.factors, bend);
  const isStill = fits.map((fit) => fit !== null && areMostlyEqual(fit));
  for (let step = 1; ; step++) {
    const next = seenIn(
      tables,
      fits.map((fit, level) => (isStill[level] ? null : fit)),
      seen.factors,
    );
    const isSettled = next.factors.every((level, i) => changeOf(level, seen.factors[i]) < SETTLED);
    seen = next;
    if (isSettled || step >= MAX_STEPS) break;
    fits = fitAll(tables, seen.factors, bend);
  }
  const fitted = fits.map((fit, i) => fit && { fit, noise: noiseOf(tables[i]?.programs ?? [], fit, seen.factors[i]) });
  return { tables: fitted, programs: seen.programs, repeated: seen.repeated };
}

function areMostlyEqual({ byArm, noise }: RobustFit): boolean {
  const variances = byArm.flatMap((arm) => arm?.variance ?? []);
  return variances.length > 0 && median(variances) < LEAST_SHARE * noise.variance;
}

function fitAll(tables: readonly ArmTable[], factors: readonly Factors[], bend?: Bend): (RobustFit | null)[] {
  return tables.map(({ table, weights, programs }, i) => {
    const scales = programs.map((name) => Math.sqrt(varianceOf(factors[i], name)));
    return robustFit(table, weights, bend, scales);
  });
}

function changeOf(next: Factors, before: Factors | undefined): number {
  const changes = [...next].map(([name, { variance }]) => Math.abs(Math.log(variance / varianceOf(before, name))));
  return Math.max(0, ...changes);
}

function varianceOf(factors: Factors | undefined, name: string): number {
  return factors?.get(name)?.variance ?? 1;
}

function noiseOf(programs: readonly string[], { noise }: RobustFit, factors: Factors | undefined): Spread[] {
  return programs.map((name) => {
    const { variance, df } = factors?.get(name) ?? { variance: 1, df: noise.df };
    return { variance: variance * noise.variance, df: Math.min(df, noise.df) };
  });
}

/** The noise of programs by some fits. */
interface Seen {
  /** By table. */
  readonly factors: readonly Factors[];
  readonly programs: ReadonlyMap<string, Spread>;
  readonly repeated: number;
}

/** The noise of a program's arms under one load level, in units of the level's noise. */
interface Cell {
  readonly level: number;
  readonly name: string;
  readonly own: Spread;
}

function seenIn(tables: readonly ArmTable[], fits: readonly (RobustFit | null)[], before: readonly Factors[]): Seen {
  const cells = cellsOf(tables, fits, before);
  const repeated = repetition(tables, fits);
  const byName = new Map(groupBy(cells, ({ name }) => name).map((own) => [own[0]?.name ?? '', own]));
  const programs = new Map<string, Spread>();
  for (const [name, own] of byName) {
    const all = pooled(own.map((cell) => cell.own));
    if (all !== null) programs.set(name, { ...all, df: all.df / (1 + (own.length - 1) * repeated) });
  }
  const known = cells.map((cell) => withOtherLevels(cell, byName.get(cell.name) ?? [], repeated));
  const factors = tables.map(() => new Map<string, Spread>());
  const usual = pooled(known);
  if (usual === null || usual.variance === 0) return { factors, programs, repeated };
  const prior = likeness([...programs.values()], usual.variance);
  // Unusual arms do not say what is usual.
  const centre =
    pooled(known.map((own) => ({ ...own, df: own.df * shareOfUsual(own, { ...usual, df: prior }) }))) ?? usual;
  cells.forEach(({ level, name }, i) => {
    const own = known[i];
    if (own === undefined) return;
    const { variance, df } = towards(own, centre, prior * shareOfUsual(own, { ...centre, df: prior }));
    factors[level]?.set(name, { variance: Math.max(variance, LEAST_SHARE * centre.variance), df });
  });
  return { factors, programs, repeated };
}

function cellsOf(
  tables: readonly ArmTable[],
  fits: readonly (RobustFit | null)[],
  factors: readonly Factors[],
): Cell[] {
  return fits.flatMap((fit, level): Cell[] => {
    if (fit === null || fit.noise.variance === 0) return [];
    const programs = tables[level]?.programs ?? [];
    return [...new Set(programs)].flatMap((name) => {
      const arms = pooled(fit.byArm.filter((_, column) => programs[column] === name).flatMap((spread) => spread ?? []));
      if (arms === null) return [];
      const variance = (arms.variance * varianceOf(factors[level], name)) / fit.noise.variance;
      return [{ level, name, own: { variance, df: arms.df } }];
    });
  });
}

/** The mean variance, each weighted by its degrees of freedom; null of none. */
function pooled(spreads: readonly Spread[]): Spread | null {
  const df = sum(spreads.map((spread) => spread.df));
  return df > 0 ? { variance: sum(spreads.map((spread) => spread.df * spread.variance)) / df, df } : null;
}

/** A variance with another one that counts like so many degrees of freedom. */
function towards(own: Spread, { variance }: Spread, df: number): Spread {
  return moderated(own, { variance, df: Number.POSITIVE_INFINITY }, df);
}

/**
 * How far the rounds under one load level say again what those under another say: the mean square of the correlation
 * between what starts have left under each. Squares of values that correlate by r correlate by r^2.
 */
function repetition(tables: readonly ArmTable[], fits: readonly (RobustFit | null)[]): number {
  const squared: number[] = [];
  fits.forEach((one, i) => {
    fits.slice(0, i).forEach((other, j) => {
      if (one === null || other === null) return;
      let [xy, xx, yy] = [0, 0, 0];
      const rowOf = new Map(tables[j]?.rows.map((number, row) => [number, row]));
      tables[i]?.rows.forEach((number, row) => {
        const beside = other.residuals[rowOf.get(number) ?? -1];
        one.residuals[row]?.forEach((x, column) => {
          const y = beside?.[column] ?? null;
          if (x === null || y === null) return;
          xy += x * y;
          xx += x * x;
          yy += y * y;
        });
      });
      if (xx > 0 && yy > 0) squared.push(xy ** 2 / (xx * yy));
    });
  });
  return squared.length === 0 ? 0 : mean(squared);
}

/** A program's noise under one load level with what the other levels know of it. An arm that is noisier at this one keeps that. */
function withOtherLevels(cell: Cell, ofProgram: readonly Cell[], repeated: number): Spread {
  const others = pooled(ofProgram.flatMap((one) => (one === cell ? [] : [one.own])));
  if (others === null) return cell.own;
  const share = Math.min(shareOfUsual(cell.own, others), shareUnlessCalmer(cell.own, others));
  const both = towards(cell.own, others, share * others.df);
  return { ...both, df: both.df / (1 + (ofProgram.length - 1) * repeated * share) };
}

/** Programs that nobody has measured yet are about so unlike, in the variance of the logarithms of their variances, ... */
const USUALLY_UNLIKE = 1;
/** ... which counts like so many programs. */
const USUAL_PROGRAMS = 2;
/** Fewer than so many programs do not show how unlike programs are. */
const LEAST_PROGRAMS = 3;
/** However alike they seem, a program's own rounds weigh at least a sixth. */
const MOST_PRIOR = 5;

/**
 * How many degrees of freedom the usual noise counts for beside a program's own: the empirical Bayes estimate of Smyth
 * (Linear models and empirical Bayes methods, 2004, section 6.2), from how unlike the programs' variances are.
 */
function likeness(programs: readonly Spread[], usual: number): number {
  if (programs.length < LEAST_PROGRAMS) return 0;
  const logs = programs.map(({ variance, df }) => {
    // E ln(chi^2 / df) is psi(df / 2) - ln(df / 2) (Abramowitz & Stegun 6.3.18).
    return Math.log(Math.max(LEAST_SHARE * usual, variance)) + 1 / df + 1 / (3 * df * df);
  });
  const free = logs.length - 1;
  const byChance = mean(programs.map(({ df }) => trigamma(df / 2)));
  const unlike = squares(logs) - free * byChance + USUAL_PROGRAMS * USUALLY_UNLIKE;
  const most = MOST_PRIOR * mean(programs.map(({ df }) => df));
  return unlike <= 0 ? most : Math.min(most, 2 * inverseTrigamma(unlike / (free + USUAL_PROGRAMS)));
}

/**
 * The share of the usual that a variance gets: all where it is no larger than usual, and the less the more unusual it is, by
 * twice the chance of such a one. So noise that few rounds show badly is not taken for less than it seems (Phipson, Lee,
 * Majewski, Alexander and Smyth, Robust hyperparameter estimation, 2016, moderate an odd variance by less, too).
 */
function shareOfUsual(own: Spread, usual: Spread): number {
  if (!(usual.variance > 0 && usual.df > 0)) return 0;
  const f = own.variance / usual.variance;
  return Math.min(1, 2 * incompleteBeta(usual.df / (usual.df + own.df * f), usual.df / 2, own.df / 2));
}

/** Other load levels say nothing of one that is calmer by more than this chance allows: rates that are whole numbers may have no noise there. */
const CALMER_BY_CHANCE = 0.01;

function shareUnlessCalmer(own: Spread, others: Spread): number {
  if (!(others.variance > 0 && others.df > 0)) return 0;
  const f = own.variance / others.variance;
  const asCalm = 1 - incompleteBeta(others.df / (others.df + own.df * f), others.df / 2, own.df / 2);
  return Math.min(1, asCalm / CALMER_BY_CHANCE);
}
