import { mean } from '../stats/moments.ts';
import { fitLandscape, type Seen } from './landscape.ts';
import { comparing, type Searched } from './propose.ts';
import { numberOf, type Point } from './space.ts';

/** What is known of points and limits. */
interface Breaking {
  /** Says of a point if it breaks a limit with more than that chance. */
  readonly breaks: (chance: number) => NonNullable<Searched['breaks']>;
  /** ln(value / limit) of a point's worst limit, as expected. */
  readonly excess: (point: Point) => number;
}

/**
 * Limits by a model. `stresses`: ln(value / limit) of arms, for each limit. Each has its own landscape, so that the
 * neighbours of what breaks a limit are known, too; its level is the control's.
 */
export function breaking(
  { space, control }: Pick<Searched, 'space' | 'control'>,
  stresses: readonly (readonly Seen[])[],
): Breaking {
  const own = numberOf(space, control);
  const limits = stresses.flatMap((seen) => {
    const levels = seen.flatMap(({ point, value }) => (numberOf(space, point) === own ? [value] : []));
    return levels.length === 0 ? [] : [{ level: mean(levels), ...comparing(fitLandscape(space, seen)) }];
  });
  const known = new Map<number, number>();
  const chanceOf = (point: Point): number =>
    Math.max(0, ...limits.map(({ level, chanceOfBeing }) => chanceOfBeing(point, control, -level)));
  return {
    breaks: (chance) => (point) => {
      if (limits.length === 0) return false;
      const number = numberOf(space, point);
      const found = known.get(number) ?? chanceOf(point);
      known.set(number, found);
      return found > chance;
    },
    excess: (point) => Math.max(...limits.map(({ level, changeOf }) => level + changeOf(point, control).mean)),
  };
}
