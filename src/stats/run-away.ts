import { median, sum } from './moments.ts';

/**
 * How far each arm's rate (one a turn) moved against the arms' from the middle third of its turns to the last: ln of its own change
 * less the median of all arms'. What all do alike (the machine, compilers that warm up) is taken out; and of a median,
 * unlike of a mean, one arm that runs away leaves the others where they are. Null for an arm with fewer than three turns
 * or without answers in either third; a single arm has not moved.
 */
export function runAways(arms: readonly (readonly number[])[]): (number | null)[] {
  const moves = arms.map(moveOf);
  const known = moves.flatMap((move) => move ?? []);
  return moves.map((own) => (own === null ? null : own - median(known)));
}

/** ln(rates in the last third / rates in the middle third): both have as many turns. */
function moveOf(turns: readonly number[]): number | null {
  const third = Math.floor(turns.length / 3);
  if (third === 0) return null;
  const end = turns.length;
  const last = sum(turns.slice(end - third));
  const middle = sum(turns.slice(end - 2 * third, end - third));
  return last > 0 && middle > 0 ? Math.log(last / middle) : null;
}
