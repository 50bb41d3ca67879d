import { createRandom, seedOf } from '../../src/base/random.ts';
import { looks } from '../../src/judge/stats/looks.ts';
import type { JudgedComparison } from '../../src/judge/verdicts/compare.ts';
import { type Noise, noises, noisyArms, simulateSession, stalling, staying, stresses } from './verdicts-session.ts';

/** Sessions of one kind at one noise level; session i has the seed of the first and i. */
export interface VerdictBatch {
  readonly kind:
    | 'flat'
    | '20 variants'
    | '5 variants x 4 loads'
    | 'stressed'
    | 'noisy arm'
    | 'stays'
    | 'stalls'
    | 'planted'
    | 'pool'
    | 'odd starts'
    | 'other control'
    | 'decision';
  readonly noise: Noise;
  /** Without the control. */
  readonly variants: number;
  readonly loads: number;
  /** The effect that variants have; 0: none. */
  readonly plantedPercent: number;
  /** Which variant has it, counted from 0; null: all have. */
  readonly planted: number | null;
  /** Of a decision: what is decided about, the effect of each variant in percent, and what the run asks. */
  readonly choice?: Choice;
  /** Starts of the first variant that are slow. */
  readonly odd?: OddStarts;
  /** Set where the ended run is judged against this variant, counted from 1. */
  readonly against?: number;
  readonly sessions: number;
}

/** A grid whose smallest level is the control. */
export interface Choice {
  readonly name: string;
  /** By variant, in the order of cost. */
  readonly percents: readonly number[];
  readonly loads: number;
  readonly question: 'best' | 'changes';
  /** Set where a setting that is worse than the best by the margin or more must not be taken. */
  readonly isPromise?: true;
  /** False: arms that cannot win are measured to the end. */
  readonly leave?: boolean;
  /** Set where it takes no more than half the load of a verdict on every change. */
  readonly isHalf?: true;
  /** Set where the best setting starts a third slower in the first two rounds: unlucky, and not worse. It shows what that does, and is no promise. */
  readonly isUnlucky?: true;
  /** In how many groups arms take turns; without it, all with each other. */
  readonly groups?: number;
  /** Set where arms leave, so that the false alarms of those that stay are counted, too. */
  readonly alarms?: true;
}

const margin = 5;
const times = (count: number, percent: number): number[] => Array.from({ length: count }, () => percent);
const larger = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => -3 - (7 * i) / Math.max(1, count - 1));

const worse = (count: number): number[] => Array.from({ length: count }, (_, i) => -15 - i);

/** One setting is better than all others, which cost less, by just the margin: the worst case. */
const wrongs: readonly Choice[] = [
  { variants: 1, loads: 1 },
  { variants: 3, loads: 1 },
  // Load levels leave, too, once they are decided.
  { variants: 3, loads: 3 },
  { variants: 19, loads: 1 },
  { variants: 39, loads: 1 },
  // As a run draws them where so many would leave each other idle for long.
  { variants: 39, loads: 1, groups: 2 },
].map(({ variants, loads, groups = 1 }) => ({
  name: `the largest of ${variants + 1} is better by the margin${loads > 1 ? `, ${loads} load levels` : ''}${groups > 1 ? `, in ${groups} groups` : ''}`,
  percents: [...times(variants - 1, 0), margin],
  loads,
  groups,
  question: 'best',
  isPromise: true,
}));

/** The same beside settings that leave, some of them early. */
const leaving: Choice = {
  name: 'the largest of 8 is better by the margin, four leave',
  percents: [0, 0, -12, -15, -20, -30, margin],
  loads: 1,
  question: 'best',
  isPromise: true,
  alarms: true,
};

/** The same where the best looks bad at first, with arms that leave and without: no promise holds once a start is known to be unlucky. */
const unlucky: readonly Choice[] = [true, false].map((leave) => ({
  ...leaving,
  name: `${leaving.name}, the largest starts slow twice`,
  isUnlucky: true,
  leave,
}));

/** What a decision takes, against a verdict on every change. */
const costs: readonly Choice[] = [
  { name: '4 x 3, all equal', percents: times(3, 0), loads: 3 },
  { name: '4 x 3, larger ones 3 to 10 % worse', percents: larger(3), loads: 3 },
  { name: '20 x 1, larger ones 3 to 10 % worse', percents: larger(19), loads: 1, isHalf: true as const },
  { name: '20 x 1, 16 of them 15 to 30 % worse', percents: [...times(3, 0), ...worse(16)], loads: 1 },
].flatMap((one) => [
  { ...one, question: 'best' } as const,
  ...(one.loads === 1 ? [{ ...one, question: 'best', leave: false } as const] : []),
  { ...one, question: 'changes' } as const,
]);

/** One start in this many is slower by this share of the rate. */
export interface OddStarts {
  readonly oneIn: number;
  readonly slower: number;
  /** True: one in each this many, at a random place. False: each by chance, so that there may be none for long. */
  readonly regular: boolean;
}

/** On average about -10 % and, close to the margin, -5.6 %. */
const odds: readonly OddStarts[] = [
  { oneIn: 5, slower: 0.4, regular: true },
  { oneIn: 5, slower: 0.25, regular: true },
  { oneIn: 5, slower: 0.4, regular: false },
];

/** How many sessions of each kind. */
export interface Effort {
  readonly single: number;
  readonly sweep: number;
  /** Those in which arms are not equally noisy. */
  readonly stressed: number;
}

export const levels: readonly Noise[] = Object.values(noises);

const noEffect = { plantedPercent: 0, planted: null } as const;
const oneCell = { variants: 1, loads: 1 } as const;
/** Sizes of sweeps with one noisy arm. */
const noisySizes = [
  { variants: 1, loads: 1 },
  { variants: 3, loads: 3 },
  { variants: 19, loads: 1 },
] as const;
const manyVariants = { variants: 20, loads: 1 } as const;

/** All sessions that the promises are held against. */
export function verdictBatches({ single, sweep, stressed }: Effort): VerdictBatch[] {
  return [
    ...levels.map((noise) => ({ kind: 'flat', noise, ...oneCell, ...noEffect, sessions: single }) as const),
    ...levels.map((noise) => ({ kind: '20 variants', noise, ...manyVariants, ...noEffect, sessions: sweep }) as const),
    { kind: '5 variants x 4 loads', noise: noises.typical, variants: 5, loads: 4, ...noEffect, sessions: sweep },
    ...Object.values(stresses).map(
      (noise) => ({ kind: 'stressed', noise, ...manyVariants, ...noEffect, sessions: stressed }) as const,
    ),
    ...noisyArms.flatMap((noise) =>
      noisySizes.map((size) => ({ kind: 'noisy arm', noise, ...size, ...noEffect, sessions: sweep }) as const),
    ),
    // The default sweep, one of its variants off by the margin.
    ...staying.map(
      (noise) =>
        ({ kind: 'stays', noise, variants: 3, loads: 3, plantedPercent: 5, planted: 1, sessions: sweep }) as const,
    ),
    // Nothing differs on average, or by the margin.
    ...[0, margin].flatMap((plantedPercent) =>
      stalling.map(
        (noise) => ({ kind: 'stalls', noise, ...oneCell, plantedPercent, planted: null, sessions: sweep }) as const,
      ),
    ),
    ...[2, 5, 10].flatMap((plantedPercent) =>
      levels.map(
        (noise) => ({ kind: 'planted', noise, ...oneCell, plantedPercent, planted: null, sessions: single }) as const,
      ),
    ),
    // A pool size sweep as people run it: three variants, three load levels, one variant that differs.
    ...[5, 10].flatMap((plantedPercent) =>
      [noises.typical, noises.shared].map(
        (noise) =>
          ({ kind: 'pool', noise, variants: 3, loads: 3, plantedPercent, planted: 1, sessions: sweep }) as const,
      ),
    ),
    ...[noises.typical, noises.shared].map(
      (noise) =>
        ({ kind: 'other control', noise, variants: 3, loads: 3, ...noEffect, against: 1, sessions: sweep }) as const,
    ),
    ...[...wrongs, leaving, ...unlucky].flatMap((choice) => levels.map((noise) => decisionBatch(choice, noise, sweep))),
    ...costs.map((choice) => decisionBatch(choice, noises.typical, Math.ceil(sweep / 4))),
    ...odds.flatMap((odd) =>
      levels.map((noise) => ({ kind: 'odd starts', noise, ...oneCell, ...noEffect, odd, sessions: sweep }) as const),
    ),
  ];
}

function decisionBatch(choice: Choice, noise: Noise, sessions: number): VerdictBatch {
  const { percents, loads } = choice;
  return { kind: 'decision', noise, variants: percents.length, loads, ...noEffect, choice, sessions };
}

/** What the promises are about, as it goes from one process to another. */
export interface PlayedSession {
  readonly rounds: number;
  /** Load levels that have a decision, and those of them for which a setting is taken that is worse than the best by the margin. */
  readonly decided: number;
  readonly wrong: number;
  /** Slices, in rounds without a gap. */
  readonly fullRounds: number;
  /** Cells that were not measured to the end; `bestLeft`: the best setting among them. */
  readonly left: number;
  readonly bestLeft: boolean;
  /** Load levels that were not measured to the end. */
  readonly levelsLeft: number;
  /** How many starts of the first variant were slow. */
  readonly oddStarts: number;
  readonly cells: readonly {
    readonly effect: number;
    readonly verdict: JudgedComparison['verdict'];
    readonly interval: JudgedComparison['interval'];
  }[];
}

/** Plays sessions `from` to before `to` of a batch. */
export function playBatch(batch: VerdictBatch, from: number, to: number): PlayedSession[] {
  const { noise, variants, loads, plantedPercent, planted, odd, choice, against } = batch;
  const chosen = choice?.percents.map((percent) => Math.log1p(percent / 100)) ?? [];
  return Array.from({ length: to - from }, (_, i) => {
    const seed = from + i;
    // Half the sessions plant a gain, the others a loss of the same size in logarithms.
    const effect = (seed % 2 === 0 ? 1 : -1) * Math.log1p(plantedPercent / 100);
    const effectOf = (variant: number): number =>
      chosen[variant] ?? (planted === null || planted === variant ? effect : 0);
    const slow = odd === undefined ? new Set<number>() : slowRounds(odd, seed);
    const start = (variant: number, round: number): number =>
      variant === 0 && slow.has(round) ? Math.log1p(-(odd?.slower ?? 0)) : unluckyStart(choice, variant, round);
    const asked = choice && { question: choice.question, leave: choice.leave ?? true, groups: choice.groups ?? 1 };
    const chosenLater = against !== undefined && { against };
    const plan = { noise, variants, loads, effect: effectOf, start, ...asked, ...chosenLater };
    const { rounds, cells, taken, sliceShare, left, levelsLeft } = simulateSession(plan, seed);
    const best = Math.max(0, ...chosen);
    const kept = taken.flatMap((place) => place ?? []);
    const wrong = kept.filter((place) => best - ([0, ...chosen][place] ?? 0) >= Math.log1p(margin / 100) - 1e-9).length;
    const ofMean = odd === undefined ? 0 : Math.log1p(-odd.slower) / odd.oneIn;
    const played = cells.map((cell) => {
      const { verdict, interval } = cell.finding;
      return { effect: cell.effect + ofMean, verdict, interval };
    });
    const oddStarts = [...slow].filter((round) => round <= rounds).length;
    const bestLeft = left.some((variant) => best > 0 && chosen[variant - 1] === best);
    const gone = { fullRounds: rounds * sliceShare, left: left.length, bestLeft, levelsLeft };
    return { rounds, decided: kept.length, wrong, ...gone, oddStarts, cells: played };
  });
}

function unluckyStart(choice: Choice | undefined, variant: number, round: number): number {
  const isOwn = choice?.isUnlucky === true && choice.percents[variant] === Math.max(...choice.percents);
  return isOwn && round <= 2 ? Math.log(2 / 3) : 0;
}

/** The rounds in which the first variant starts slow. */
function slowRounds({ oneIn, regular }: OddStarts, seed: number): ReadonlySet<number> {
  const random = createRandom(seedOf('odd starts', oneIn, seed));
  const rounds = Array.from({ length: looks.at(-1) ?? 0 }, (_, i) => i + 1);
  if (!regular) return new Set(rounds.filter(() => random.next() < 1 / oneIn));
  const firsts = rounds.filter((round) => (round - 1) % oneIn === 0);
  return new Set(firsts.map((first) => first + Math.floor(oneIn * random.next())));
}
