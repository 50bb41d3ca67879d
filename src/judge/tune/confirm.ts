import type { Known, Searched, SearchRules } from './propose.ts';
import { numberOf, type Point } from './space.ts';

/** A plainer setting is confirmed beside the best where it is as good, within the margin, with this chance at least. */
const AS_GOOD = 0.8;

/**
 * The settings that are confirmed against the control, the plainest first: one that is likely as good as the best, and the best.
 * Where the control is the best, the next best: that it is no better is confirmed, too.
 */
export function toConfirm(
  { space, control, out, breaks }: Searched,
  known: Known | null,
  { slots, marginLog }: SearchRules,
): Point[] {
  if (known === null || known.bestOther === null) return [];
  const { bestOther: best } = known;
  const isOut = (point: Point): boolean => out.has(numberOf(space, point)) || breaks?.(point) === true;
  const isAsGood = (point: Point): boolean => !isOut(point) && known.chanceOfBeing(point, best, -marginLog) >= AS_GOOD;
  const changed = (point: Point): number[] =>
    point.flatMap((value, factor) => (value === control[factor] ? [] : [factor]));
  const withControls = (point: Point, factor: number): Point => point.with(factor, control[factor] ?? 0);
  // As few changes as are as good, and of a factor with an order its smallest value.
  let plain = best;
  for (const factor of changed(best)) {
    const fewer = withControls(plain, factor);
    if (isAsGood(fewer)) plain = fewer;
  }
  if (space.factors.length === 1 && space.factors[0]?.places !== null) {
    const smaller = Array.from({ length: best[0] ?? 0 }, (_, value) => [value]);
    plain = smaller.find(isAsGood) ?? best;
  }
  const wanted = new Map([plain, best].map((point) => [numberOf(space, point), point]));
  wanted.delete(numberOf(space, control));
  return [...wanted.values()].filter((point) => !isOut(point)).slice(0, slots);
}
