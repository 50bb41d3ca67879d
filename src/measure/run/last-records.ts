import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import { type Journal, lastRound } from '../../journal/journal.ts';
import { nothingLeft } from '../../journal/left-records.ts';
import type { LengthsRecord } from '../../journal/length-records.ts';
import { type LineUp, lineUpAfter, plannedLineUp } from '../../journal/line-up.ts';
import type { Shard } from '../../journal/run/shard-records.ts';
import type { RoundPlaces } from '../plan/places.ts';
import type { RestOfRun } from '../plan/resumed-plan.ts';

/** The lengths that the rounds of a run had last; null where they were the scenario's. */
function lastLengths({ records }: Journal): LengthsRecord | null {
  let last: LengthsRecord | null = null;
  for (const record of records) if (record.type === 'lengths') last = record;
  return last;
}

/** The line-up of a run's last round, or of the next one: a proposal is written before its round. */
export function lastLineUp({ records }: Pick<Journal, 'records'>): LineUp {
  let last = plannedLineUp;
  for (const record of records) last = lineUpAfter(last, record);
  return last;
}

/** The places of a run's complete rounds, as far as they are known. */
export function placesBefore({ records }: Pick<Journal, 'records'>): RoundPlaces[] {
  const places: RoundPlaces[] = [];
  for (const record of records) if (record.type === 'round' && record.places) places.push(record.places);
  return places;
}

/** Where a run that is resumed looked last for capacities; null where it had not begun to. */
export function lastGuesses({ records }: Pick<Journal, 'records'>): readonly CapacityGuess[] | null {
  let last: readonly CapacityGuess[] | null = null;
  for (const record of records) if (record.type === 'levels') last = record.guesses;
  return last;
}

/** The first round that a run has before it, and how far its rounds are apart: those of a shard are every n-th. */
export function roundsToRun(
  resume: Journal | null,
  { index, count }: Shard = { index: 1, count: 1 },
): { readonly firstRound: number; readonly roundStep: number } {
  const last = resume === null ? 0 : lastRound(resume);
  return { firstRound: last > 0 ? last + count : index, roundStep: count };
}

/** State that a resumed run takes over from its earlier rounds. `allStay`: all is measured again, whatever left before. */
export function restOf(resume: Journal, allStay = false): RestOfRun {
  return {
    left: allStay ? nothingLeft : lastLineUp(resume).left,
    lengths: lastLengths(resume),
    roundsDone: lastRound(resume),
  };
}
