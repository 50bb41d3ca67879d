import { mean } from '../stats/moments.ts';
import { fitLandscape, type Seen } from './landscape.ts';
import { comparing, type Searched } from './propose.ts';
import { numberOf, type Point } from './space.ts';

/**
 * Limits by a model: `breaks` says of points if they break one with more than that chance, and `excess` is the expected ln(value / limit) of
 * a point's worst. `stresses`: ln(value / limit) of arms, for each limit. Each has its own landscape, so that the neighbours of what breaks a
 * limit are known, too; its level is the control's.
 */
export function breaking(
  { space, control }: Pick<Searched, 'space' | 'control'>,
  stresses: readonly (readonly Seen[])[],
) {
  const own = numberOf(space, control);
  const limits = stresses.flatMap((seen) => {
    const levels = seen.flatMap(({ point, value }) => (numberOf(space, point) === own ? [value] : []));
    return levels.length === 0 ? [] : [{ level: mean(levels), ...comparing(fitLandscape(space, seen)) }];
  });
  const known = new Map<number, number>();
  const chanceOf = (point: Point): number =>
    Math.max(0, ...limits.map(({ level, chanceOfBeing }) => chanceOfBeing(point, control, -level)));
  return {
    breaks: (chance: number) => (point: Point) => {
      const number = numberOf(space, point);
      const found = known.get(number) ?? chanceOf(point);
      known.set(number, found);
      return found > chance;
    },
    excess: (point: Point) => Math.max(...limits.map(({ level, changeOf }) => level + changeOf(point, control).mean)),
  };
}
