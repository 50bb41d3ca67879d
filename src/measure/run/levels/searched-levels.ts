import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { roughStress } from '../../../journal/capacity/limit-reading.ts';
import { levelOf, loadSize } from '../../../journal/load-level.ts';
import { countAll, countOk } from '../../../journal/outcomes.ts';
import type { JournalRecord, VoidReason } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import { stopTimeMs } from '../../plan/arm-costs.ts';
import { servicesToStart } from '../../plan/arms.ts';
import {
  isSwept,
  type SweptLevel,
  searchSizes,
  sweptGuesses,
  sweptMs,
  sweptSizes,
} from '../../plan/capacity-levels.ts';
import { busyTime, LEAST_WIDTH } from '../../plan/expected-search.ts';
import { passCosts } from '../../plan/pass-costs.ts';
import {
  latenciesAtLimit,
  levelsTimeMs,
  loadAlone,
  type SearchedArm,
  type SearchLoad,
} from '../../plan/search-time.ts';
import type { RunEvent } from '../events.ts';
import { lastGuesses } from '../last-records.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import type { LevelSource, NextLevels, RoundContext, RoundProgress, RoundToLoad } from '../round/round-context.ts';
import { runPass } from '../round/run-pass.ts';
import { eachAlone } from '../round/start-arms.ts';
import type { SeenWaits } from '../round/turn-schedule.ts';

type LevelsChosen = Extract<RunEvent, { kind: 'levels-chosen' }>;

/**
 * Levels of a search for capacities, around where the rounds before have seen the limits of arms. In a session's first round
 * they are around where a quick way up through the range has. What a round will measure has no part in the choice.
 */
export function searchedLevels(load: SearchLoad): LevelSource {
  const spec = load.capacity;
  let guesses: readonly CapacityGuess[] | null = null;
  let levels: readonly LoadLevel[] = [];
  let next: NextLevels = { passes: null, growth: 1 };
  const levelsBy = (found: readonly CapacityGuess[]): LoadLevel[] =>
    searchSizes(found, spec).map((size) => levelOf(spec.of, size));
  return {
    get levels() {
      return levels;
    },
    get next() {
      return next;
    },
    get warming() {
      return [lightestKnown(spec, levels)];
    },
    async choose(context, wanted, progress) {
      const { journal, emit } = context.io;
      const { round } = wanted;
      if (context.watch.idleCpuShares.size === 0) await watchIdle(context, round, eachAlone(progress.arms), progress);
      if (guesses !== null) {
        levels = levelsBy(guesses);
        journal.append({ type: 'levels', round, fromPass: 0, levels, guesses });
        emit({ kind: 'levels-chosen', levels });
        return levels;
      }
      const { swept, capacities } = await sweepUp(context, load, wanted, progress);
      guesses = sweptGuesses(swept, spec);
      levels = levelsBy(guesses);
      journal.append({ type: 'levels', round, fromPass: swept.length, levels, guesses });
      const found = { guesses, capacities, levels, finest: levelsBy(guesses.map(surelyKnown)) };
      emit({ kind: 'levels-chosen', levels, ...timesAhead(context, load, found, progress) });
      return levels;
    },
    learn(seen) {
      guesses = seen.guesses ?? guesses;
      if (guesses === null) return;
      const chosen = levelsBy(guesses);
      next = { passes: chosen.length, growth: growthOf(load, levels, chosen, guesses) };
    },
    resume(journal) {
      guesses = lastGuesses(journal);
      if (guesses !== null) next = { passes: levelsBy(guesses).length, growth: 1 };
    },
  };
}

/** Guesses of later rounds may be this narrow: then arms whose limits look alike now have their own levels. */
function surelyKnown(guess: CapacityGuess): CapacityGuess {
  return { ...guess, width: Math.min(guess.width, LEAST_WIDTH) };
}

interface Found {
  readonly guesses: readonly CapacityGuess[];
  readonly capacities: ReadonlyMap<string, number>;
  readonly levels: readonly LoadLevel[];
  /** Levels of a round that knows each limit well. */
  readonly finest: readonly LoadLevel[];
}

/** How long the rest of a first round takes, and each of the next rounds. */
function timesAhead(
  { scenario, load: { schedule } }: RoundContext,
  load: SearchLoad,
  { guesses, capacities, levels, finest }: Found,
  { phases: { bootMs, warmupMs } }: RoundProgress,
): Required<Pick<LevelsChosen, 'leftMs' | 'nextMs'>> {
  const costs = passCosts(scenario, null, schedule.fewestTurns());
  const stopMs = stopTimeMs(servicesToStart(scenario), null);
  const [leastMs, mostMs] = latenciesAtLimit(load);
  const timeOf = (some: readonly LoadLevel[], latencyMs: number): number =>
    stopMs + levelsTimeMs(load, some, searchedArms(guesses, latencyMs, capacities), costs);
  const leftMs = timeOf(levels, leastMs);
  const slowestMs = busyTime(Math.max(timeOf(levels, mostMs), timeOf(finest, mostMs)));
  return { leftMs, nextMs: [bootMs + warmupMs + leftMs, bootMs + warmupMs + slowestMs] };
}

/** How much longer the slices of these levels take than those of the levels before. */
function growthOf(
  load: SearchLoad,
  before: readonly LoadLevel[],
  after: readonly LoadLevel[],
  guesses: readonly CapacityGuess[],
): number {
  const arms = searchedArms(guesses, latenciesAtLimit(load)[0]);
  const [beforeMs, afterMs] = [before, after].map((levels) => levelsTimeMs(load, levels, arms, loadAlone));
  return beforeMs ? (afterMs ?? beforeMs) / beforeMs : 1;
}

/** Arms that answer no more than they sustain, where nothing else is known. */
function searchedArms(
  guesses: readonly CapacityGuess[],
  latencyMs: number,
  capacities: ReadonlyMap<string, number> = new Map(),
): SearchedArm[] {
  return guesses.map(({ arm, size }) => ({
    limit: size,
    capacity: Math.max(1, capacities.get(arm) ?? size),
    latencyMs,
  }));
}

/** The lightest level that is known to be near a limit; before any is known, the middle of the range. */
function lightestKnown({ of, from, to }: CapacitySpec, levels: readonly LoadLevel[]): LoadLevel {
  const size = levels.length === 0 ? Math.sqrt(from * to) : Math.min(...levels.map(loadSize));
  return levelOf(of, Math.max(1, Math.round(size)));
}

interface Swept {
  readonly swept: SweptLevel[];
  /** Most requests a second that an arm answers, by its name; of arms that were overloaded. */
  readonly capacities: ReadonlyMap<string, number>;
}

/** Once through the range in whole slices, from below, until larger loads would show nothing more. */
async function sweepUp(
  context: RoundContext,
  searched: SearchLoad,
  { round, arms, places }: RoundToLoad,
  progress: RoundProgress,
): Promise<Swept> {
  const spec = searched.capacity;
  const turnsPerArm = areOneProcess(context.scenario) ? 2 : 1;
  const turnMs = sweptMs(context.scenario.load) / turnsPerArm;
  const swept: SweptLevel[] = [];
  const capacities = new Map<string, number>();
  let waits: SeenWaits = { latencyMs: 0, drainMs: 0 };
  for (const size of sweptSizes(spec)) {
    const records: JournalRecord[] = [];
    const load = levelOf(spec.of, size);
    const schedule = { turnMs, turnsPerArm, ...waits, wholeSlices: 'turned off' } as const;
    const made = { round, load, arms, ...places.next(arms.length) };
    const seen = await runPass(alsoInto(records, context), made, schedule, progress);
    if (!('arm' in seen)) waits = seen;
    const stress = stressOf(records, searched);
    swept.push({ size, stress });
    for (const [arm, perS] of answeredPerS(records, size)) if ((stress.get(arm) ?? 0) > 1) capacities.set(arm, perS);
    if (isSwept(swept)) break;
  }
  return { swept, capacities };
}

/** Requests that each arm has answered a second at a rate, until the last of them was answered or given up. */
function answeredPerS(records: readonly JournalRecord[], rate: number): Map<string, number> {
  const slices = records.filter((record) => record.type === 'slice');
  return new Map(
    slices.map(({ arm, loadMs, outcomes, ...slice }) => {
      const sentMs = records.find((record) => record.type === 'pass')?.turnMs ?? 0;
      const okShare = countOk({ outcomes, ...slice }) / Math.max(1, countAll(outcomes));
      return [arm, (rate * sentMs * okShare) / loadMs];
    }),
  );
}

function alsoInto(records: JournalRecord[], context: RoundContext): RoundContext {
  const { journal } = context.io;
  const append = (record: JournalRecord): void => {
    journal.append(record);
    records.push(record);
  };
  return { ...context, io: { ...context.io, journal: { ...journal, append } } };
}

/** Reasons of a discarded slice that say nothing of the service. */
const generatorFlaws: ReadonlySet<VoidReason> = new Set(['generator busy', 'send lag', 'paused']);

/** By arm; null where the load generator could not keep up, or nothing is known. */
function stressOf(
  records: readonly JournalRecord[],
  { capacity: { until }, timeoutMs }: SearchLoad,
): Map<string, number | null> {
  const probes = records.filter((record) => record.type === 'probe');
  const slices = records.filter((record) => record.type === 'slice');
  return new Map(
    slices.map((slice) => {
      const own = probes.filter((probe) => probe.slice === slice.slice);
      const isBusy = slice.voided?.some((reason) => generatorFlaws.has(reason)) === true;
      return [slice.arm, isBusy ? null : roughStress(until, { slice, probes: own, timeoutMs })];
    }),
  );
}
