/**
 * Which of some lines stand at their place, given the number of each (0: none that can be read): the longest row
 * of ascending numbers, so that one line that was moved or doubled is out of place, and not all that it passed.
 * Returns their indexes.
 */
export function inPlace(numbers: readonly number[]): Set<number> {
  // For each length of a row, the index of the smallest line that such a row can end with (patience sorting).
  const ends: number[] = [];
  const before = new Map<number, number>();
  for (const [index, own] of numbers.entries()) {
    if (own === 0) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < own) low = middle + 1;
      else high = middle;
    }
    // The first of two equal lines stands at its place.
    if (numbers[ends[low] ?? -1] === own) continue;
    const previous = ends[low - 1];
    if (previous !== undefined) before.set(index, previous);
    ends[low] = index;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before.get(at)) found.add(at);
  return found;
}
