import { createRandom, type Random, seedOf } from '../base/random.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import type { Arm } from './arms.ts';

/** One slice to be measured: a cell of the round. */
export interface PlannedSlice {
  readonly arm: Arm;
  readonly load: LoadLevel;
}

export interface OrderOptions {
  readonly arms: readonly Arm[];
  readonly levels: readonly LoadLevel[];
  readonly slicesPerRound: number;
  readonly seed: number;
  readonly round: number;
  /**
   * The fewest slices of other arms wished for between two slices of the same arm, so that its database counters are
   * complete without waiting. Kept where the number of arms allows it.
   */
  readonly gap: number;
}

/** How many shuffles are tried before the gap is given up for the order of the pass before. */
const MOST_SHUFFLES = 200;

/**
 * The shuffled order of a round's slices. It goes in passes: all arms at one load level, then all arms at the next, so
 * that cells which are compared stand next to each other in time and in the age of their processes. A bulk load's pass
 * is the first. The levels and the
 * arms within each pass are shuffled, by a seed of the run's seed and the round. The gap treats all arms alike, so
 * every arm is as likely as the others in every place.
 */
export function orderSlices(options: OrderOptions): PlannedSlice[] {
  const random = createRandom(seedOf(options.seed, options.round, 'order'));
  // A bulk load fills what the other levels read.
  const bulk = options.levels.filter((level) => level.bulk);
  const others = options.levels.filter((level) => !level.bulk);
  const passes = [...bulk, ...Array.from({ length: options.slicesPerRound }, () => random.shuffle(others)).flat()];
  let previous: readonly Arm[] | null = null;
  return passes.flatMap((load) => {
    const arms: readonly Arm[] =
      previous === null ? random.shuffle(options.arms) : shuffleApart(previous, options.gap, random);
    previous = arms;
    return arms.map((arm) => ({ arm, load }));
  });
}

/** A shuffle in which no arm comes within `gap` places of where it stood in the pass before. */
function shuffleApart(previous: readonly Arm[], gap: number, random: Random): readonly Arm[] {
  const possible = Math.min(gap, previous.length - 1);
  for (let attempt = 0; attempt < MOST_SHUFFLES; attempt++) {
    const arms = random.shuffle(previous);
    const others = (arm: Arm, place: number): number => previous.length - 1 - previous.indexOf(arm) + place;
    if (arms.every((arm, place) => others(arm, place) >= possible)) return arms;
  }
  return previous;
}
