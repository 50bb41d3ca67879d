import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RunNote } from '../../notes.ts';
import type { CompleteRound } from './complete-rounds.ts';

/** How arms were warmed that were to serve as many requests as the others, over all complete rounds. */
export interface Warmups {
  /** How many requests an arm was to serve, in the round with the fewest and in that with the most. */
  readonly requests: { readonly least: number; readonly most: number };
  /** The fewest that an arm had served when its time was over; null where each had enough. */
  readonly fewest: number | null;
  /** The arm that had served the fewest, and its load level. */
  readonly fewestOf: { readonly arm: string; readonly load: LoadLevel } | null;
  /** In how many rounds some arm had not enough. */
  readonly shortRounds: number;
}

/** An arm's last turn is as long as the one before it lets expect, and that is not exact. */
const ENOUGH_SHARE = 0.9;

/** Adds the warm-ups of a round; null as long as no arm was to serve a number of requests. */
export function addWarmups(before: Warmups | null, { warmups }: CompleteRound): Warmups | null {
  let after = before;
  let short = false;
  for (const { wanted, outcomes, arm, load } of warmups) {
    if (wanted === undefined) continue;
    const served = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const { requests = { least: wanted, most: wanted } } = after ?? {};
    const { fewest, fewestOf, shortRounds } = shortBy(after, wanted);
    const lacks = served < ENOUGH_SHARE * wanted;
    const isFewest = lacks && served < (fewest ?? Number.POSITIVE_INFINITY);
    after = {
      requests: { least: Math.min(requests.least, wanted), most: Math.max(requests.most, wanted) },
      fewest: isFewest ? served : fewest,
      fewestOf: isFewest ? { arm, load } : fewestOf,
      shortRounds: shortRounds + (lacks && !short ? 1 : 0),
    };
    short ||= lacks;
  }
  return after;
}

/** Warm-ups that were short before. None was where the run has since chosen as few: a first one that is long ends by its time. */
function shortBy(before: Warmups | null, wanted: number): Omit<Warmups, 'requests'> {
  const isShort = before !== null && before.fewest !== null && before.fewest < ENOUGH_SHARE * wanted;
  return isShort ? before : { fewest: null, fewestOf: null, shortRounds: 0 };
}

/** A note where a slow arm had fewer requests in its warm-up than were wanted. */
export function warmupNotes(
  warmups: Warmups | null,
  rounds: number,
  isThrottledUnder: (load: LoadLevel) => boolean,
): Extract<RunNote, { readonly kind: 'short-warmup' }>[] {
  const { fewest = null, fewestOf = null, shortRounds = 0, requests } = warmups ?? {};
  if (fewest === null || fewestOf === null || requests === undefined) return [];
  return [
    {
      kind: 'short-warmup',
      ...fewestOf,
      requests: fewest,
      wanted: requests.most,
      rounds: shortRounds,
      of: rounds,
      ...(isThrottledUnder(fewestOf.load) && { throttled: true as const }),
    },
  ];
}
