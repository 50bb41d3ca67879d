import { createRandom } from '../../base/random.ts';

/**
 * The order of turns, cycle by cycle, without end: every cycle has each of this many arms once. Over as many cycles as
 * there are arms (one more where their number is odd) every arm comes directly after every other, each arm stands at
 * every place of a cycle, and every cycle also comes the other way round. From one cycle to the next an arm moves by at
 * most two places, so that between two of its turns come at most two more than there are arms. Which arm is which, and
 * where the square begins, is drawn by the seed.
 *
 * A cycle that follows a pause keeps the order of the one before, so that the pause does not come on top of the longest
 * time between two turns.
 *
 * The square is that of Williams (1949, Experimental designs balanced for the estimation of residual effects of
 * treatments): 0, 1, n-1, 2, n-2, ... and each further row one more, modulo n. It is balanced where n is even; an odd
 * number of arms takes the square of one more and leaves that one out.
 */
export function* turnCycles(
  arms: number,
  seed: number,
  afterPause: readonly number[] = [],
): Generator<readonly number[]> {
  const random = createRandom(seed);
  const size = arms + (arms % 2);
  const names = random.shuffle(Array.from({ length: size }, (_, index) => index));
  // The one that is left out must not be an arm.
  const first = firstRow(size);
  const labels = new Map(names.map((name, index) => [index, name]));
  let row = random.integer(0, size - 1);
  for (let cycle = 0; ; cycle++) {
    if (cycle > 0 && !afterPause.includes(cycle)) row++;
    yield first.flatMap((value) => {
      const arm = labels.get((value + row) % size) ?? 0;
      return arm < arms ? [arm] : [];
    });
  }
}

function firstRow(size: number): number[] {
  return Array.from({ length: size }, (_, place) => (place % 2 === 1 ? (place + 1) / 2 : (size - place / 2) % size));
}

/** The first cycles, one after the other. */
export function turnOrder(arms: number, cycles: number, seed: number, afterPause: readonly number[] = []): number[][] {
  const order: number[][] = [];
  for (const cycle of turnCycles(arms, seed, afterPause)) {
    if (order.length >= cycles) break;
    order.push([...cycle]);
  }
  return order;
}
