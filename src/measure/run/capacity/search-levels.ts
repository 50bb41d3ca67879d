import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { roughStress } from '../../../journal/capacity/limit-reading.ts';
import { levelOf } from '../../../journal/load-level.ts';
import type { JournalRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import {
  isSwept,
  type SweptLevel,
  searchSizes,
  sweptGuesses,
  sweptMs,
  sweptSizes,
} from '../../plan/capacity-levels.ts';
import { isSwitchedLive } from '../../plan/live-blocks.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import { eachAlone } from '../round/live-arms.ts';
import type { LiveArm, PassToMake, RoundContext, RoundProgress } from '../round/round-context.ts';
import { runPass } from '../round/run-pass.ts';
import type { SeenWaits } from '../round/turn-schedule.ts';

/** A round whose levels are to be found. */
export interface RoundToSearch {
  readonly round: number;
  readonly arms: readonly LiveArm[];
  readonly places: { next(arms: number): Pick<PassToMake, 'pass' | 'firstSlice'> };
}

/**
 * The load levels of a round that looks for capacities, for all arms alike: around where the rounds before have seen their
 * limits, in a session's first round around where a quick way up through the range has. What this round will measure has no
 * part in the choice.
 */
export async function searchLevels(
  context: RoundContext,
  spec: CapacitySpec,
  wanted: RoundToSearch,
  progress: RoundProgress,
): Promise<LoadLevel[]> {
  const { search } = context.load;
  const { journal, emit } = context.io;
  const { round, arms } = wanted;
  if (search === undefined) throw new Error('a run that looks for capacities without a search');
  if (context.watch.idleCpuShares.size === 0) await watchIdle(context, round, eachAlone(arms), progress);
  let fromPass = 0;
  if (search.guesses === null) {
    const swept = await sweepUp(context, spec, wanted, progress);
    search.guesses = sweptGuesses(swept, spec);
    fromPass = swept.length;
  }
  const levels = searchSizes(search.guesses, spec).map((size) => levelOf(spec.of, size));
  search.levels = levels;
  journal.append({ type: 'levels', round, fromPass, levels, guesses: search.guesses });
  emit({ kind: 'levels-chosen', levels });
  return levels;
}

/** Once through the range in whole slices, from below, until going on would tell nothing more. */
async function sweepUp(
  context: RoundContext,
  spec: CapacitySpec,
  { round, arms, places }: RoundToSearch,
  progress: RoundProgress,
): Promise<SweptLevel[]> {
  const turnsPerArm = isSwitchedLive(context.scenario) ? 2 : 1;
  const turnMs = sweptMs(context.scenario.load) / turnsPerArm;
  const swept: SweptLevel[] = [];
  let waits: SeenWaits = { latencyMs: 0, drainMs: 0 };
  for (const size of sweptSizes(spec)) {
    const records: JournalRecord[] = [];
    const load = levelOf(spec.of, size);
    const schedule = { turnMs, turnsPerArm, ...waits, wholeSlices: 'turned off' } as const;
    const made = { round, load, arms, ...places.next(arms.length) };
    waits = (await runPass(alsoInto(records, context), made, schedule, progress)) ?? waits;
    swept.push({ size, stress: stressOf(records, spec) });
    if (isSwept(swept)) break;
  }
  return swept;
}

function alsoInto(records: JournalRecord[], context: RoundContext): RoundContext {
  const { journal } = context.io;
  const append = (record: JournalRecord): void => {
    journal.append(record);
    records.push(record);
  };
  return { ...context, io: { ...context.io, journal: { ...journal, append } } };
}

/** By arm; null where the load generator could not keep up, or nothing is known. */
function stressOf(records: readonly JournalRecord[], { until }: CapacitySpec): Map<string, number | null> {
  const probes = records.filter((record) => record.type === 'probe');
  const slices = records.filter((record) => record.type === 'slice');
  return new Map(
    slices.map((slice) => {
      const own = probes.filter((probe) => probe.slice === slice.slice);
      const isBusy = slice.voided?.some((reason) => reason === 'generator busy' || reason === 'send lag') === true;
      return [slice.arm, isBusy ? null : roughStress(until, { slice, probes: own })];
    }),
  );
}
