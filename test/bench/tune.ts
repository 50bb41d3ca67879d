/**
 * Simulated searches for the best setting whose truth is known: how often the setting that is taken is as good as the best, how
 * many rounds that takes, and how often something is confirmed that is none; and how many rounds other ways to search take for
 * the same.
 */
import { markdownTable } from 'markdown-table';
import { mean, median } from '../../src/judge/stats/moments.ts';
import type { Goal } from './goal.ts';
import { type LandscapeName, landscapes, type NoiseName, noises } from './tune/landscapes.ts';
import { playOwn } from './tune/own-session.ts';
import { MARGIN_LOG, type Outcome, playSession, type Strategy } from './tune/session.ts';
import { forest, racing, randomSearch, successiveHalving } from './tune/strategies.ts';

/** Sessions of each landscape and noise; a few for a first look: PGSWEEP_TUNE_SESSIONS=20. */
const SESSIONS = Number(process.env.PGSWEEP_TUNE_SESSIONS ?? 200);

const PROMISED = { within: 0.9, falseGains: 0.05, flat: 0.95, ofOthers: 0.5 } as const;

/** Ways to search that do not know when to end: so many rounds, the fewest that keep the promise. */
const others: Readonly<Record<string, (rounds: number) => Strategy>> = {
  random: randomSearch,
  'successive halving': successiveHalving,
  racing,
  forest,
};
const ROUNDS = [2, 3, 4, 6, 8, 12, 16, 24, 32] as const;
const compared: readonly LandscapeName[] = ['peaked', 'ridge of two', 'two of five'];

const names = Object.keys(landscapes) as LandscapeName[];
const noiseNames = Object.keys(noises) as NoiseName[];

function sessions(play: (seed: number) => Outcome): Outcome[] {
  return Array.from({ length: SESSIONS }, (_, session) => play(session + 1));
}

const shareOf = (outcomes: readonly Outcome[], is: (outcome: Outcome) => boolean): number =>
  outcomes.filter(is).length / Math.max(1, outcomes.length);
const isWithin = ({ regret }: Outcome): boolean => regret <= MARGIN_LOG + 1e-9;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Plays the sessions, prints their table, and returns the goals. */
export function benchTune(): Goal[] {
  const rows: string[][] = [];
  const all: { readonly landscape: LandscapeName; readonly noise: NoiseName; readonly own: Outcome[] }[] = [];
  for (const landscape of names) {
    for (const noise of noiseNames) {
      const own = sessions((seed) => playOwn([landscape, noise], seed));
      all.push({ landscape, noise, own });
      rows.push([
        landscape,
        noise,
        percent(shareOf(own, isWithin)),
        percent(mean(own.map(({ regret }) => regret))),
        median(own.map(({ searchRounds }) => searchRounds)).toFixed(1),
        median(own.map(({ confirmRounds }) => confirmRounds)).toFixed(1),
        percent(shareOf(own, ({ isFalse }) => isFalse)),
        percent(shareOf(own, ({ keepsControl }) => keepsControl)),
      ]);
    }
  }
  const head = ['landscape', 'noise', 'within 5 %', 'behind', 'search', 'confirmation', 'false gain', 'control kept'];
  console.log(markdownTable([head, ...rows]));
  const ratios = comparedRounds(all);
  const flat = all.filter(({ landscape }) => landscape === 'flat').flatMap(({ own }) => own);
  const worst = Math.min(...all.map(({ own }) => shareOf(own, isWithin)));
  const falseGains = shareOf(
    all.flatMap(({ own }) => own),
    ({ isFalse }) => isFalse,
  );
  const kept = shareOf(flat, ({ keepsControl }) => keepsControl);
  return [
    goal('search: within 5 % of the best, in the worst landscape and noise', worst, '>=', PROMISED.within),
    goal('search: confirmed gains that are none', falseGains, '<=', PROMISED.falseGains),
    goal('search: the control is kept where all is flat', kept, '>=', PROMISED.flat),
    ...Object.entries(ratios).map(([name, ratio]) =>
      goal(`search: its rounds of those of ${name}, median`, ratio, '<=', PROMISED.ofOthers),
    ),
  ];
}

function goal(name: string, share: number, sign: '<=' | '>=', promised: number): Goal {
  const reached = sign === '<=' ? share <= promised : share >= promised;
  return { name, measured: percent(share), goal: `${sign} ${percent(promised)}`, reached };
}

/** Rounds of the product's search as a share of the fewest rounds with which another way is as often within the margin, by its name. */
function comparedRounds(
  all: readonly { readonly landscape: LandscapeName; readonly noise: NoiseName; readonly own: readonly Outcome[] }[],
): Record<string, number> {
  const cells = all.filter(({ landscape }) => compared.includes(landscape));
  const rows: string[][] = [];
  const ratios: Record<string, number> = {};
  for (const [name, strategy] of Object.entries(others)) {
    const found = cells.map(({ landscape, noise, own }) => {
      const played = (most: number) => sessions((seed) => playSession([landscape, noise], strategy(most), seed));
      const rounds = ROUNDS.find((most) => shareOf(played(most), isWithin) >= PROMISED.within);
      const mine = median(own.map(({ searchRounds }) => searchRounds));
      rows.push([
        name,
        landscape,
        noise,
        rounds === undefined ? `> ${ROUNDS.at(-1)}` : String(rounds),
        mine.toFixed(1),
      ]);
      return mine / (rounds ?? 2 * (ROUNDS.at(-1) ?? 1));
    });
    ratios[name] = median(found);
  }
  console.log(markdownTable([['way', 'landscape', 'noise', 'rounds for 90 %', 'rounds of the search'], ...rows]));
  return ratios;
}
