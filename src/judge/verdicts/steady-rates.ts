import { groupBy } from '../../base/group-by.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { RateTrend, RunNote } from '../notes.ts';
import { passKey, type SliceTrend } from '../read/rounds/trends.ts';
import type { RunData } from '../read/run-data.ts';
import { studentTQuantile } from '../stats/distributions.ts';
import { ERROR, MIN_ROUNDS } from '../stats/looks.ts';
import { mean, squares, sum } from '../stats/moments.ts';
import { significant, toPercent } from '../stats/rounding.ts';
import { type Slope, slopeWithin } from '../stats/slopes.ts';
import type { WithholdingRule } from './withholding.ts';

/** A rate that moves by no more, in percent, over a slice or over a round is steady. */
const STEADY_PERCENT = 3;

/** Trends that arms share have one half of the error, those in which a variant differs the other. */
const SHARE = ERROR / 2;

/** A variant's slice beside the control's of the same pass. */
interface Beside extends SliceTrend {
  /** Means of the control's arms. */
  readonly control: { readonly slope: number; readonly logRate: number };
}

/** A trend to be judged. */
interface Question {
  readonly load: RateTrend['load'];
  readonly variant: RateTrend['variant'];
  readonly slope: Slope;
  /** ln(end / beginning) of the variant and of the control, where it is one variant's. */
  readonly sides?: { readonly own: number; readonly control: number };
}

/**
 * A note where rates still moved after the warm-up: of all arms, or of one variant unlike the control. That the rate of all
 * arms alike still grows is said only of a warm-up that a person chose: one that pgsweep sets gets longer by itself.
 */
export function steadyNotes(data: RunData): Extract<RunNote, { readonly kind: 'unsteady-rates' }>[] {
  const isAuto = data.scenario.load.warmupRequests !== undefined;
  const trends = steadyTrends(data).filter((trend) => !isAuto || trend.variant !== null || !isGrowing(trend));
  return trends.length === 0 ? [] : [{ kind: 'unsteady-rates', trends }];
}

/**
 * Rates that still moved after the warm-up. What the machine does to a single round is noise, so a trend has to hold over
 * rounds. The chance that a run without any trend has one is up to 5 %. Empty where a run looks for capacities: its levels
 * follow each other.
 */
export function steadyTrends(data: RunData): readonly RateTrend[] {
  if (!seesTrends(data)) return [];
  const { trends } = data;
  const differing = differingTrends(data);
  const odd = new Set(differing.map(({ variant }) => variant));
  const alike = trends.filter(({ variant }) => !odd.has(variant));
  const shared = certain([
    ...groupBy(alike, ({ load }) => loadKey(load)).flatMap(sharedOverSlice),
    ...sharedOverRound(alike),
  ]);
  return [...bySize(differing), ...bySize(shared)];
}

/** Worked out once for a run: every metric asks for them. */
const known = new WeakMap<RunData, readonly RateTrend[]>();

/** Trends in which a variant differs from the control. */
function differingTrends(data: RunData): readonly RateTrend[] {
  const before = known.get(data);
  if (before !== undefined) return before;
  const beside = seesTrends(data) ? besideControl(data.trends, data.scenario.control) : [];
  const found = certain([
    ...groupBy(beside, ({ load }) => loadKey(load)).flatMap(differencesOverSlice),
    ...groupBy(beside, ({ variant }) => variant).flatMap(differenceOverRound),
  ]);
  known.set(data, found);
  return found;
}

/**
 * Withholds `same` where a side's rate moves unlike the control's: that their means are alike after a few seconds says
 * nothing of an hour.
 */
export const stillMoves: WithholdingRule =
  (data) =>
  ({ metric, contrast: { control, cell } }, { verdict }) => {
    if (metric.group !== 'load' || verdict !== 'same') return null;
    const sides = [...control, cell].map(({ variant }) => variant);
    const trend = differingTrends(data).find(
      ({ variant, load }) =>
        variant !== null && sides.includes(variant) && (load === null || loadKey(load) === loadKey(cell.load)),
    );
    if (trend === undefined) return null;
    const { percent, controlPercent = 0 } = trend;
    return { verdict: 'noise', note: { kind: 'still-moves', percent, controlPercent } };
  };

/** True where the rates of enough rounds are known turn by turn: one that still moved would be seen. */
export function seesTrends({ trends, scenario, quick }: RunData): boolean {
  const rounds = new Set(trends.map(({ round }) => round)).size;
  return !quick && scenario.load.capacity === undefined && rounds >= MIN_ROUNDS;
}

/** True where the rate of all arms, of a variant or of the control beside it grew, as with a warm-up that is too short. */
export function isGrowing({ percent, controlPercent = 0 }: RateTrend): boolean {
  return Math.max(percent, controlPercent) > 0;
}

function bySize(trends: readonly RateTrend[]): RateTrend[] {
  const sizeOf = ({ percent, controlPercent = 0 }: RateTrend): number => Math.abs(percent - controlPercent);
  return [...trends].sort((a, b) => sizeOf(b) - sizeOf(a));
}

function besideControl(trends: readonly SliceTrend[], control: string): Beside[] {
  return groupBy(trends, passKey).flatMap((pass) => {
    const controls = pass.filter(({ variant }) => variant === control);
    if (controls.length === 0) return [];
    const own = {
      slope: mean(controls.map(({ slope }) => slope)),
      logRate: mean(controls.map(({ logRate }) => logRate)),
    };
    // A second arm beside another control would count its round twice.
    return pass
      .filter(({ variant, repeat }) => variant !== control && !repeat)
      .map((slice) => ({ ...slice, control: own }));
  });
}

/** The variants of one load level. A variant's noise is its own or the pooled one, whichever is larger. */
function differencesOverSlice(level: readonly Beside[]): Question[] {
  const variants = groupBy(level, ({ variant }) => variant).filter(({ length }) => length >= MIN_ROUNDS);
  const values = variants.map((slices) => slices.map(({ slope, control }) => slope - control.slope));
  const df = sum(values.map(({ length }) => length - 1));
  const pooled = sum(values.map(squares)) / df;
  return variants.flatMap((slices, i) => {
    const [first] = slices;
    const own = values[i] ?? [];
    if (first === undefined) return [];
    const error = Math.sqrt(Math.max(pooled, squares(own) / (own.length - 1)) / own.length);
    const sides = {
      own: mean(slices.map(({ slope }) => slope)),
      control: mean(slices.map(({ control }) => control.slope)),
    };
    return [{ load: first.load, variant: first.variant, slope: { slope: mean(own), error, df }, sides }];
  });
}

function differenceOverRound(slices: readonly Beside[]): Question[] {
  const over = (read: (slice: Beside) => number): Slope | null => overRound(slices, read);
  const slope = over(({ logRate, control }) => logRate - control.logRate);
  const [own, control] = [over(({ logRate }) => logRate), over(({ control }) => control.logRate)];
  const [first] = slices;
  if (first === undefined || slope === null || own === null || control === null) return [];
  return [{ load: null, variant: first.variant, slope, sides: { own: own.slope, control: control.slope } }];
}

/** One value a round, the mean of its arms. None where one variant moved the mean and another hardly moved. */
function sharedOverSlice(level: readonly SliceTrend[]): Question[] {
  const slopes = (slices: readonly SliceTrend[]): number => mean(slices.map(({ slope }) => slope));
  const values = groupBy(level, ({ round }) => round).map(slopes);
  const [first] = level;
  if (first === undefined || values.length < MIN_ROUNDS) return [];
  const shared = mean(values);
  const least = Math.min(...groupBy(level, ({ variant }) => variant).map((own) => slopes(own) * Math.sign(shared)));
  if (least < Math.abs(shared) / 2) return [];
  const df = values.length - 1;
  const error = Math.sqrt(squares(values) / df / values.length);
  return [{ load: first.load, variant: null, slope: { slope: shared, error, df } }];
}

/** One value a pass, the mean of its arms; each arm counts by how far it is from its mean under that load. */
function sharedOverRound(trends: readonly SliceTrend[]): Question[] {
  const off = groupBy(trends, ({ variant, repeat, load }) => `${loadKey(load)} ${repeat} ${variant}`).flatMap(
    (cell) => {
      const usual = mean(cell.map(({ logRate }) => logRate));
      return cell.map((slice) => ({ ...slice, logRate: slice.logRate - usual }));
    },
  );
  const passes = groupBy(off, ({ round, load }) => `${round} ${loadKey(load)}`).flatMap((arms) => {
    const [first] = arms;
    if (first === undefined) return [];
    const [logRate, progress] = [mean(arms.map((arm) => arm.logRate)), mean(arms.map((arm) => arm.progress))];
    return [{ ...first, logRate, progress }];
  });
  const slope = overRound(passes, ({ logRate }) => logRate);
  return slope === null ? [] : [{ load: null, variant: null, slope }];
}

/** How a value depends on the progress of arms, when rounds and load levels, whose order is drawn, have their own effects. */
function overRound<One extends SliceTrend>(slices: readonly One[], read: (slice: One) => number): Slope | null {
  const levels = [...new Set(slices.map(({ load }) => loadKey(load)))];
  if (new Set(slices.map(({ round }) => round)).size < MIN_ROUNDS) return null;
  return slopeWithin(
    slices.map((slice) => ({
      row: slice.round,
      column: levels.indexOf(loadKey(slice.load)),
      x: slice.progress,
      y: read(slice),
    })),
  );
}

/** Those that are not by chance, all together, and not small. */
function certain(questions: readonly Question[]): RateTrend[] {
  const alpha = SHARE / Math.max(1, questions.length);
  return questions.flatMap(({ load, variant, slope: { slope, error, df }, sides }) => {
    const half = -studentTQuantile(alpha / 2, df) * error;
    if (Math.abs(slope) <= half || Math.abs(toPercent(slope)) <= STEADY_PERCENT) return [];
    return [
      {
        load,
        variant,
        percent: percent(sides?.own ?? slope),
        ...(sides !== undefined && { controlPercent: percent(sides.control) }),
        interval: [percent(slope - half), percent(slope + half)] as const,
      },
    ];
  });
}

function percent(log: number): number {
  return significant(toPercent(log));
}
