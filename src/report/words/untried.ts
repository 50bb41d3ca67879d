import type { Summary } from '../../judge/summary.ts';
import type { Recommendation } from '../../judge/verdicts/decision/recommend.ts';
import { loadsWords } from './found.ts';
import { sizeOf } from './recommendation.ts';

/** How many times as large, or as small, the levels are that are named beyond those that were tried. */
const BEYOND = [2, 4] as const;

/** The smallest or the largest level of the factor. */
interface End {
  readonly word: 'smallest' | 'largest';
  readonly level: number;
  readonly variant: string;
  readonly beyond: readonly number[];
}

/**
 * Levels to add where what lies beyond those that were tried is not known: the smallest or the largest of one numeric factor is
 * to be taken, or the largest is still better than the one to be taken. A text for each end; none for a run that can be resumed.
 */
export function untried({ run, recommended, recommendation }: Summary): string[] {
  const [factor] = Object.keys(run.settings[0]?.factors ?? {});
  if (run.question !== 'best' || !run.complete || factor === undefined) return [];
  return endsOf(run).flatMap((end) => {
    const why = whyBeyond(end, recommended, recommendation);
    const names = end.beyond.join(' and ');
    return why === null || names === ''
      ? []
      : [`${end.level} is the ${end.word} tried${why}; add ${names} to sweep.${factor}.levels`];
  });
}

/** None where there are several factors, or levels that are no numbers. */
function endsOf({ settings }: Summary['run']): End[] {
  const tried = settings.flatMap(({ variant, factors }) => {
    const [level, ...others] = Object.values(factors);
    return typeof level === 'number' && others.length === 0 ? [{ variant, level }] : [];
  });
  const [smallest, ...larger] = tried.sort((a, b) => a.level - b.level);
  const largest = larger.at(-1);
  if (tried.length < settings.length || smallest === undefined || largest === undefined) return [];
  const isWhole = tried.every(({ level }) => Number.isInteger(level));
  const beyond = (level: number, scaled: readonly number[]): number[] =>
    [...new Set(isWhole ? scaled.map(Math.floor) : scaled)]
      .filter((one) => one > 0 && one !== level)
      .sort((a, b) => a - b);
  return [
    {
      word: 'smallest',
      ...smallest,
      beyond: beyond(
        smallest.level,
        BEYOND.map((times) => smallest.level / times),
      ),
    },
    {
      word: 'largest',
      ...largest,
      beyond: beyond(
        largest.level,
        BEYOND.map((times) => largest.level * times),
      ),
    },
  ];
}

/** Why an end matters, as it follows `40 is the largest tried`; null where it does not. */
function whyBeyond(
  { word, variant }: End,
  recommended: Summary['recommended'],
  recommendation: readonly Recommendation[],
): string | null {
  if (recommended.variant === variant) return '';
  const kept = recommendation.filter(({ keep }) => keep === variant);
  if (recommended.variant === null && kept.length > 0)
    return `, and the one to take with ${loadsWords(kept.map(({ load }) => load))}`;
  if (word === 'smallest') return null;
  const rising = recommendation.flatMap(({ load, keep, better }) => {
    const found = better.find((one) => one.variant === variant);
    return keep === null || found === undefined ? [] : [{ load, interval: found.interval }];
  });
  const [first] = rising;
  if (first === undefined) return null;
  return `, and still ${sizeOf(first.interval)}better with ${loadsWords([first.load])}`;
}
