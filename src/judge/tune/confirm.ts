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
  // As few changes as are as good, and of a factor with an order its smallest value.
  let plain = best;
  for (const factor of changedFactors(best, control)) {
    const fewer = plain.with(factor, control[factor] ?? 0);
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

/** The setting without each of its changes; none of one change. */
export function partsOf(point: Point, control: Point): Point[] {
  const changed = changedFactors(point, control);
  return changed.length < 2 ? [] : changed.map((factor) => point.with(factor, control[factor] ?? 0));
}

const changedFactors = (point: Point, control: Point): number[] =>
  point.flatMap((value, factor) => (value === control[factor] ? [] : [factor]));
