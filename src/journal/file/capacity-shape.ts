import { loadAxes } from '../load-traits.ts';
import { amount, count, fields, list, oneOf, type Shape, text } from './shape.ts';

const MOST_LIMITS = 100;
const MOST_LEVELS = 100;

/** The question how much load each variant bears. */
export const capacityShape = fields({
  of: oneOf(...loadAxes),
  from: amount,
  to: amount,
  until: list(fields({ metric: text, most: amount }), 1, MOST_LIMITS),
});

/** The record of a round's load levels, each of the shape given. */
export function levelsShape(level: Shape): Shape {
  return fields({
    round: count,
    fromPass: count,
    levels: list(level, 0, MOST_LEVELS),
    guesses: list(fields({ arm: text, size: amount, width: amount })),
  });
}
