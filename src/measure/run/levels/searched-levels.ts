import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { roughStress } from '../../../journal/capacity/limit-reading.ts';
import { levelOf, loadSize } from '../../../journal/load-level.ts';
import type { JournalRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import {
  isSwept,
  type SweptLevel,
  searchSizes,
  sweptGuesses,
  sweptMs,
  sweptSizes,
} from '../../plan/capacity-levels.ts';
import { lastGuesses } from '../last-records.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import type { LevelSource, RoundContext, RoundProgress, RoundToLoad } from '../round/round-context.ts';
import { runPass } from '../round/run-pass.ts';
import { eachAlone } from '../round/start-arms.ts';
import type { SeenWaits } from '../round/turn-schedule.ts';

/**
 * Levels of a search for capacities, around where the rounds before have seen the limits of arms. In a session's first round
 * they are around where a quick way up through the range has. What a round will measure has no part in the choice.
 */
export function searchedLevels(spec: CapacitySpec): LevelSource {
  let guesses: readonly CapacityGuess[] | null = null;
  let levels: readonly LoadLevel[] = [];
  return {
    get levels() {
      return levels;
    },
    get warming() {
      return [lightestKnown(spec, levels)];
    },
    async choose(context, wanted, progress) {
      const { journal, emit } = context.io;
      const { round } = wanted;
      if (context.watch.idleCpuShares.size === 0) await watchIdle(context, round, eachAlone(progress.arms), progress);
      let fromPass = 0;
      if (guesses === null) {
        const swept = await sweepUp(context, spec, wanted, progress);
        guesses = sweptGuesses(swept, spec);
        fromPass = swept.length;
      }
      levels = searchSizes(guesses, spec).map((size) => levelOf(spec.of, size));
      journal.append({ type: 'levels', round, fromPass, levels, guesses });
      emit({ kind: 'levels-chosen', levels });
      return levels;
    },
    learn(seen) {
      guesses = seen.guesses ?? guesses;
    },
    resume(journal) {
      guesses = lastGuesses(journal);
    },
  };
}

/** The lightest level that is known to be near a limit; before any is known, the middle of the range. */
function lightestKnown({ of, from, to }: CapacitySpec, levels: readonly LoadLevel[]): LoadLevel {
  const size = levels.length === 0 ? Math.sqrt(from * to) : Math.min(...levels.map(loadSize));
  return levelOf(of, Math.max(1, Math.round(size)));
}

/** Once through the range in whole slices, from below, until larger loads would show nothing more. */
async function sweepUp(
  context: RoundContext,
  spec: CapacitySpec,
  { round, arms, places }: RoundToLoad,
  progress: RoundProgress,
): Promise<SweptLevel[]> {
  const turnsPerArm = areOneProcess(context.scenario) ? 2 : 1;
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
