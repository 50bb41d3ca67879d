/**
 * How few rounds the levels of `higher` and `lower` could take at rough noise, if they were chosen for just the effects
 * that are looked for, with the noise estimated as the judge does it: what is left to be had from another way of spending
 * the error. Takes hours: the argument is how many sessions there are. research/judging.md has the table.
 *
 *   node --import ./src/base/typescript.mjs test/bench/fewest-rounds.ts 40000
 */
import { markdownTable } from 'markdown-table';
import { createRandom, type Random, seedOf } from '../../src/base/random.ts';
import { studentTCdf, studentTQuantile } from '../../src/judge/stats/distributions.ts';
import { estimateOf, noiseOfEstimate } from '../../src/judge/stats/interval.ts';
import { levelsOf, looks, sameLevel } from '../../src/judge/stats/looks.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import type { Table } from '../../src/judge/stats/robust-fit.ts';
import { blockOf, familyOf } from '../../src/judge/verdicts/family.ts';
import { normal } from '../judge/journal-fixture.ts';
import { noises } from './verdicts-session.ts';

const SESSIONS = Number(process.argv[2] ?? 40_000);
const TRIES = 150;
const ERROR = 0.05;
const MARGIN = Math.log(1.05);
const LAST = looks.at(-1) ?? 0;
/** Planted, as logarithms; the first is none. */
const EFFECTS = [0, Math.log(1.05), Math.log(1.1)] as const;
/** Four fifths of what the judge of commit 3364c95 took for 5 and 10 % (6,000 sessions of bench:verdicts). */
const WANTED = [15.2, 6.4] as const;
/** Levels are found for these numbers of rounds; those between lie on a line in logarithms. */
const KNOTS = [4, 5, 6, 8, 11, 15, 20, 27, 34, 40];

/** Sessions of one comparison, for each of the effects: one look after the other, one session after the other. */
interface Sessions {
  readonly count: number;
  /** Two-sided p values. */
  readonly p: readonly Float64Array[];
  /** 1 where the comparison is `same`. */
  readonly same: readonly Uint8Array[];
}

/** `from`: the seed of the first. */
function simulate(from: number): Sessions {
  const p = EFFECTS.map(() => new Float64Array(SESSIONS * looks.length));
  const same = EFFECTS.map(() => new Uint8Array(SESSIONS * looks.length));
  for (let session = 0; session < SESSIONS; session++) {
    const random = createRandom(seedOf('fewest rounds', from + session));
    // The control, its second arm and the variant. What rounds have in common is taken out by the fit.
    const table = Array.from({ length: LAST }, () => Array.from({ length: 3 }, () => startOf(random)));
    looks.forEach((rounds, look) => {
      const known = changeOf(table.slice(0, rounds));
      if (known === null) return;
      const { change, error, df } = known;
      const level = sameLevel({ rounds, ends: endsAt(rounds) }, 1, { margins: MARGIN / error, df }) ?? 0;
      const half = -studentTQuantile(level, df) * error;
      const at = session * looks.length + look;
      EFFECTS.forEach((effect, i) => {
        // Half of them are a gain, the others a loss.
        const size = Math.abs(change + (session % 2 === 0 ? effect : -effect));
        (p[i] ?? [])[at] = 2 * studentTCdf(-size / error, df);
        (same[i] ?? [])[at] = size + half < MARGIN ? 1 : 0;
      });
    });
  }
  return { count: SESSIONS, p, same };
}

/** By the name of an arm, the program that it runs. */
const programs = new Map([
  ['control', 'control'],
  ['control#2', 'control'],
  ['variant', 'variant'],
]);
const [ofControl, ofVariant] = [['control', 'control#2'], 'variant'] as const;

/** As the judge has it: ln(variant / control), its standard error, and how well that is known. */
function changeOf(table: Table): { readonly change: number; readonly error: number; readonly df: number } | null {
  const arms = [...programs.keys()].map((name, column) => {
    return [name, new Map(table.map((row, i) => [i + 1, { log: row[column] ?? null }]))] as const;
  });
  const pairs = table.map(([control, second, variant], i) => {
    const logRatio = (variant ?? 0) - ((control ?? 0) + (second ?? 0)) / 2;
    return { round: i + 1, control: 1, value: Math.exp(logRatio), logRatio };
  });
  const paired = { pairs, logRatios: pairs.map(({ logRatio }) => logRatio), tooFew: null };
  const member = { paired, block: blockOf(new Map(arms), { programs }), control: ofControl, variant: ofVariant };
  const [evidence = null] = familyOf([member], { rounds: table.length, ends: [] });
  const noise = evidence && noiseOfEstimate(evidence);
  return evidence && noise && { change: estimateOf(evidence), error: Math.sqrt(noise.variance), df: noise.df };
}

function startOf(random: Random): number {
  const { betweenStarts, withinStart, outlierShare } = noises.rough;
  const odd = random.next() < outlierShare ? Math.log1p(-0.1 - 0.1 * random.next()) : 0;
  return Math.hypot(betweenStarts, withinStart) * normal(random) + odd;
}

function endsAt(rounds: number): number[] {
  return rounds === LAST ? [rounds] : [];
}

/** How sessions with an effect end where a look marks what has a p value below its level. */
interface Ended {
  readonly markedShare: number;
  readonly meanRounds: number;
}

function endedOf({ count, p, same }: Sessions, effect: number, levels: readonly number[]): Ended {
  const [pOf, sameOf] = [p[effect] ?? [], same[effect] ?? []];
  let [rounds, marked] = [0, 0];
  for (let session = 0, first = 0; session < count; session++, first += looks.length) {
    let look = 0;
    while (look < looks.length) {
      if ((pOf[first + look] ?? 1) < (levels[look] ?? 0)) {
        marked++;
        break;
      }
      if (sameOf[first + look] === 1) break;
      look++;
    }
    rounds += looks[look] ?? LAST;
  }
  return { markedShare: marked / count, meanRounds: rounds / count };
}

/** By the logarithms of the levels at the knots. */
function levelsAt(knots: readonly number[]): number[] {
  return looks.map((rounds) => {
    const at = Math.min(
      KNOTS.length - 2,
      KNOTS.findLastIndex((knot) => knot <= rounds),
    );
    const [from, to] = [KNOTS[at] ?? 1, KNOTS[at + 1] ?? 1];
    const share = Math.log(rounds / from) / Math.log(to / from);
    return Math.exp((knots[at] ?? 0) * (1 - share) + (knots[at + 1] ?? 0) * share);
  });
}

/** All moved alike, so that the sessions have 5 % false alarms. */
function spendAll(sessions: Sessions, knots: readonly number[]): number[] {
  let [low, high] = [-2, 2];
  for (let step = 0; step < 11; step++) {
    const middle = (low + high) / 2;
    const moved = levelsAt(knots.map((knot) => knot + middle));
    if (endedOf(sessions, 0, moved).markedShare > ERROR) high = middle;
    else low = middle;
  }
  return knots.map((knot) => knot + low);
}

/** The effect that is furthest from what is wanted counts, and the others a little. */
function distance(sessions: Sessions, levels: readonly number[]): number {
  const shares = WANTED.map((wanted, i) => endedOf(sessions, i + 1, levels).meanRounds / wanted);
  return Math.max(...shares) + 0.1 * mean(shares);
}

/** The levels with 5 % false alarms that take the fewest rounds, by random changes of one or two knots. */
function fewestRounds(sessions: Sessions): number[] {
  const random = createRandom(seedOf('knots', 0));
  let best = spendAll(
    sessions,
    KNOTS.map(() => Math.log(0.009)),
  );
  let least = distance(sessions, levelsAt(best));
  for (let tried = 0; tried < TRIES; tried++) {
    const size = 0.8 * (1 - tried / TRIES) + 0.1;
    const changed = [...best];
    for (let change = 0; change < 2; change++) {
      const knot = Math.floor(KNOTS.length * random.next());
      changed[knot] = (changed[knot] ?? 0) + size * (2 * random.next() - 1);
    }
    const knots = spendAll(sessions, changed);
    const far = distance(sessions, levelsAt(knots));
    if (far < least) [best, least] = [knots, far];
  }
  return levelsAt(best);
}

function row(name: string, sessions: Sessions, levels: readonly number[]): string[] {
  const ended = EFFECTS.map((_, effect) => endedOf(sessions, effect, levels));
  const falseAlarms = 100 * (ended[0]?.markedShare ?? Number.NaN);
  return [name, `${falseAlarms.toFixed(2)} %`, ...ended.map(({ meanRounds }) => meanRounds.toFixed(2))];
}

function main(): void {
  const [chosenBy, others] = [simulate(0), simulate(SESSIONS)];
  const judge = looks.map((rounds) => levelsOf({ rounds, ends: endsAt(rounds) }, 1)?.difference ?? 0);
  const best = fewestRounds(chosenBy);
  console.log(
    markdownTable([
      ['levels', 'false alarms', 'rounds: no effect', '5 %', '10 %'],
      row('of the judge', chosenBy, judge),
      row('the best for 5 and 10 %', chosenBy, best),
      row('of the judge, other sessions', others, judge),
      row('the best, other sessions', others, best),
      ['wanted', '5.00 %', '', ...WANTED.map((rounds) => rounds.toFixed(2))],
    ]),
  );
}

main();
