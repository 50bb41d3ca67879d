import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { levelsToFind, sweptMs, sweptSizes } from './capacity-levels.ts';

/** Load levels of a run, as far as they are known before it begins. */
export interface LevelPlan {
  /** Levels that a run is prepared for, the largest load among them. */
  readonly expected: readonly LoadLevel[];
  /** All rounds have these levels. Only then can slices follow their noise, and machines divide the rounds. */
  readonly areFixed: boolean;
  /** Number of levels that each arm tries once a session, to find those of the first round. */
  readonly triedFirst: number;
  /** Time that an arm has at each of them, in ms. */
  readonly triedMs: number;
  /** Number of levels that a round has at most: arms with limits far apart need levels for each. */
  readonly mostInRound: number;
}

type Levels = Pick<LoadSpec, 'levels' | 'capacity' | 'sliceMs' | 'leastSliceMs'>;

export function levelPlan(load: Levels): LevelPlan {
  return load.capacity === undefined ? namedPlan(load) : searchPlan(load, load.capacity);
}

function namedPlan({ levels }: Levels): LevelPlan {
  return { expected: levels, areFixed: true, triedFirst: 0, triedMs: 0, mostInRound: levels.length };
}

function searchPlan(load: Levels, range: CapacitySpec): LevelPlan {
  const expected = levelsToFind(range);
  return {
    expected,
    areFixed: false,
    triedFirst: sweptSizes(range).length,
    triedMs: sweptMs(load),
    mostInRound: 2 * expected.length,
  };
}
