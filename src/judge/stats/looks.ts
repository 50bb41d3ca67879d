import { nominalLevels, type Sides, type Spending } from './error-spending.ts';

/** The largest chance of a wrong word: any false `higher` or `lower` in a family, and each false `same`. */
export const ERROR = 0.05;

/** Fewer rounds than this never give a verdict. */
export const MIN_ROUNDS = 4;

/** Fewer rounds never give `same` of a rate or a latency: what is odd in every fifth start must have had its chance to show. */
export const MIN_SAME_ROUNDS = 5;

/** After this many rounds a run looks at its verdicts for the last time. */
const LAST_LOOK = 40;

/** The numbers of rounds at which a run looks at its verdicts and may stop, ascending. */
export const looks: readonly number[] = Array.from({ length: LAST_LOOK - MIN_ROUNDS + 1 }, (_, i) => MIN_ROUNDS + i);

/** The share of an error that may be spent up to n rounds. */
type Share = (rounds: number) => number;

/** On `higher` and `lower` early, since large effects shall be found soon: what is left is halved every 5 to 6 rounds. */
const early: Share = (n) => 1 - Math.exp(-(n - 2.5) / 8);

/** On the bounds of a comparison by itself evenly, since gates may ask about any limit. */
const evenly: Share = (n) => n / 45;

/** The share of the error of `same` that is spent by information; the rest is left for comparisons that wait for others. */
const BY_INFORMATION = 0.9;

/**
 * On `same` by information, the square of margin / standard error (Mehta & Tsiatis, Flexible sample size considerations
 * using information-based interim monitoring, 2001). Below 3 no interval at 5 % fits into the margin, and few do below
 * 4. The more comparisons have to fit at once, the more it takes. Information comes from the noise, so estimates do not
 * influence it. Spending slower than by 2.5 (3, 4) took more rounds; sooner (2) left more sessions without a verdict.
 */
function byInformation(perRound: number, { start, pace, fewest }: Spent): Share {
  return (n) => {
    if (n < fewest) return 0;
    const known = 1 - Math.exp(-Math.max(0, perRound * n - start) / pace);
    return BY_INFORMATION * known + (1 - BY_INFORMATION) * evenly(n);
  };
}

/** A run that ends spends this share of what is left, so that one that is extended afterwards has the rest. */
const END_SHARE = 0.8;

/**
 * Not all of the error of `higher` and `lower` is spent: after few rounds the tails of the robust fit are a little heavier
 * than Student's.
 */
const SPENT = 0.95;

/**
 * Not all of the error of a decision is spent either: with 0.95, a rival that is better by the margin was missed in 5.8
 * ± 1.2 % of 400 sessions at rough noise.
 */
const SPENT_ON_NON_INFERIORITY = 0.8;

/** How far a run has come. */
export interface RunProgress {
  readonly rounds: number;
  /**
   * Rounds after which it ended for a reason that does not depend on its results (its budget, its most rounds),
   * ascending. More than one where it was extended.
   */
  readonly ends: readonly number[];
  /** Set where all data was there before anybody looked, and how much of it there is was fixed beforehand. */
  readonly once?: true;
}

/** At what level a comparison's tests may be made. */
export interface Levels {
  /** The two-sided level of `higher` or `lower`, for one of the family's comparisons. */
  readonly difference: number;
  /** The level of a one-sided test of one comparison by itself, against any limit. */
  readonly own: number;
}

/**
 * The levels of the tests of a run's comparisons, `comparisons` of which are a family. A run that continues, was
 * interrupted, or stopped since all was settled, has the levels of its look; beyond the last look, the levels of the
 * last. A run that ended for another reason spends most of what is left of the error. If data is looked at once, all of
 * it is spent there. The family's part of each comparison is Sidak's (1967). It holds for comparisons that share a
 * control and for all looks (Royen's inequality of normal deviates, 2014). Null under 4 rounds.
 */
export function levelsOf({ rounds, ends, once }: RunProgress, comparisons: number): Levels | null {
  if (rounds < MIN_ROUNDS) return null;
  if (once) return levelsOfOneLook(comparisons);
  const past = pastEnds(ends, rounds);
  return {
    difference: lastLevel({ name: 'early', share: early }, 'both', { rounds, ends: past }, shareOf(comparisons)),
    own: lastLevel({ name: 'evenly', share: evenly }, 'upper', { rounds, ends: past }, ERROR),
  };
}

/** Levels of a family that is looked at once, when all its data is there. */
export function levelsOfOneLook(comparisons: number): Levels {
  return { difference: shareOf(comparisons), own: ERROR };
}

/** Information a round, in steps of a tenth of it, so that levels can be remembered. Beyond these nothing changes. */
const INFORMATION = { least: 0.05, most: 20, step: 0.1 } as const;

/** Noise of so few degrees of freedom counts for half. */
const UNSURE_DF = 3;

/** The share of the error that such noise may spend, in this many steps, so that levels can be remembered. */
const SURE_STEPS = 100;

/** How an error is spent by information: from where on, and how fast what is left is spent (by 63 % in so much information). */
interface Spent {
  readonly start: number;
  readonly pace: number;
  /** Nothing is spent in fewer rounds, where no test is made. */
  readonly fewest: number;
}

/** How exactly the noise of a comparison is known. */
export interface Known {
  /** How many standard errors the margin has. */
  readonly margins: number;
  /** The degrees of freedom of these. */
  readonly df: number;
}

/**
 * The level of each of the two one-sided tests of `same`, where this many comparisons are settled together. Null under 4
 * rounds.
 */
export function sameLevel(course: RunProgress, comparisons: number, known: Known): number | null {
  const spent = { start: 4 + 2.1 * Math.log(comparisons), pace: 2.5, fewest: MIN_ROUNDS };
  return levelByInformation('same', spent, course, known, 1);
}

/**
 * The level of the non-inferiority test of one rival, where this many rivals are tested together. It spends a share of
 * the error, and sooner than `same`, since it has one side: of the ways in research/judging.md it decides soonest in five to eight rounds
 * without a loss in longer runs. Null under 4 rounds.
 */
export function nonInferiorityLevel(
  course: RunProgress,
  comparisons: number,
  known: Known,
  share: number,
): number | null {
  return levelByInformation(
    'enough',
    { start: 2 + 1.2 * Math.log(comparisons), pace: 4, fewest: MIN_SAME_ROUNDS },
    course,
    known,
    SPENT_ON_NON_INFERIORITY * share,
  );
}

function levelByInformation(
  name: string,
  spent: Spent,
  { rounds, ends, once }: RunProgress,
  { margins, df }: Known,
  share: number,
): number | null {
  if (rounds < MIN_ROUNDS) return null;
  if (once) return share * ERROR;
  const { least, most, step } = INFORMATION;
  // Noise that few rounds tell badly must not make the level larger just where it looks smaller than it is.
  const sure = df / (df + UNSURE_DF);
  const information = margins ** 2 * sure;
  const perRound = Math.min(most, Math.max(least, information / rounds));
  const steps = Math.floor(Math.log(perRound) / step);
  const way = { name: `${name} ${steps} ${spent.start}`, share: byInformation(Math.exp(steps * step), spent) };
  const error = (Math.floor(SURE_STEPS * sure) / SURE_STEPS) * share * ERROR;
  return lastLevel(way, 'upper', { rounds, ends: pastEnds(ends, rounds) }, error);
}

function pastEnds(ends: readonly number[], rounds: number): number[] {
  return [...new Set(ends)].filter((end) => end >= MIN_ROUNDS && end <= rounds);
}

function shareOf(comparisons: number): number {
  return 1 - (1 - SPENT * ERROR) ** (1 / Math.max(1, comparisons));
}

/** A way to spend, known by its `name`. */
interface Way {
  readonly name: string;
  readonly share: Share;
}

function lastLevel(way: Way, sides: Sides, { rounds, ends }: RunProgress, error: number): number {
  const last = ends.includes(rounds) ? rounds : Math.min(rounds, LAST_LOOK);
  const { at, levels, rest } = sequenceOf(way, sides, ends, error);
  const place = at.indexOf(last);
  // A look's level follows from those before it.
  while (levels.length <= place) levels.push(rest.next().value ?? 0);
  return levels[place] ?? 0;
}

/** The levels of a course's looks that were asked for so far, and those that follow. */
interface Sequence {
  readonly at: readonly number[];
  readonly levels: number[];
  readonly rest: Iterator<number, void>;
}

const sequences = new Map<string, Sequence>();

function sequenceOf({ name, share }: Way, sides: Sides, ends: readonly number[], error: number): Sequence {
  const key = `${name} ${ends.join()} ${error}`;
  const before = sequences.get(key);
  if (before !== undefined) return before;
  const spendings = spendingsOf(share, ends).map((look) => ({ ...look, spent: error * look.spent }));
  const rest = nominalLevels(spendings, sides);
  const sequence = { at: spendings.map(({ rounds }) => rounds), levels: [], rest };
  sequences.set(key, sequence);
  return sequence;
}

/** The looks, ends among them, and what share of the error each spends. */
function spendingsOf(share: Share, ends: readonly number[]): Spending[] {
  const at = [...looks, ...ends.filter((end) => end > LAST_LOOK)];
  let [left, before] = [1, 0];
  return at.map((n) => {
    // Later looks and ends lack the error that ends have spent.
    const planned = Math.min(1, share(Math.min(n, LAST_LOOK)));
    const interim = left * ((planned - before) / (1 - before));
    before = planned;
    const spent = ends.includes(n) && planned > 0 ? interim + END_SHARE * (left - interim) : interim;
    left -= spent;
    return { rounds: n, spent };
  });
}
