import { seedOf } from '../../../base/random.ts';
import type { WarmupLength } from '../../../journal/length-records.ts';
import { loadKey, traitsOf } from '../../../journal/load-level.ts';
import { sumOutcomes } from '../../../journal/outcomes.ts';
import type { LoadLevel, ResolvedScenario } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import type { LoadStream, TurnResult } from '../../load/load-generator.ts';
import { turnCycles } from '../../plan/turn-order.ts';
import { takesWholeSlices } from '../../plan/whole-slices.ts';
import { warnOfDryPool } from './dry-pool.ts';
import {
  jobOf,
  type LiveArm,
  noteLoadEnd,
  type PassToMake,
  type RoundContext,
  type RoundProgress,
  timed,
} from './round-context.ts';
import { switchBeforeTurns } from './switch-arm.ts';
import { loadMsOf, takeTurns } from './take-turns.ts';
import { longestDrainMs } from './turn-schedule.ts';
import { assertAnswers, uncounted } from './uncounted.ts';

/**
 * How long a turn of the warm-up is, about: a cold process takes some 200 ms to answer what is under way at its end. Arms
 * that share a process share the turn, too, so that it can be seen how the process grows.
 */
const TURN_MS = 500;
/** The last turn of an arm may be shorter, for the requests that are missing. Fewer than this are not worth another turn. */
const LEAST_TURN_MS = 50;
/** An outside engine starts for each turn, and cuts off what takes longer; k6 takes no shorter one than a second. */
const PROGRAM_TURN_MS = 2000;
const ENOUGH_SHARE = 0.98;
/** Two turns of this long tell an arm's latency under a load level; the better one counts, since a neighbour may strike one. */
const TRIAL = { turns: 2, turnMs: 150 };

/**
 * Warms all arms in turns, for each workload that they will be loaded with, until each has served as many requests of it
 * as the others, or for as long as the scenario says: a process that was just started grows faster for minutes, so all
 * must be equally warm. One process that all share is warmed once, under each.
 */
export async function warmUp(
  context: RoundContext,
  round: number,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  for (const load of context.load.levels.warming)
    if (context.lineUp?.warms(load.workload) !== false) await warmFor(context, { round, arms, load }, progress);
}

async function warmFor(
  context: RoundContext,
  { round, arms, load }: Omit<Uncounted, 'name'>,
  progress: RoundProgress,
): Promise<void> {
  const { scenario } = context;
  const { journal, clock, emit } = context.io;
  const { counters } = context.watch;
  const warmup = context.load.schedule.warmup(load);
  const { requests } = warmup;
  const turnMs = warmingTurnMs(scenario, load, arms.length);
  emit({ kind: 'warmup-started', arms: arms.length });
  const { results, loadMs } = await timed(clock, progress.phases, 'warmupMs', () =>
    underLoad(context, { round, arms, load, name: `warmup ${loadKey(load)}` }, warmingTurns(warmup, turnMs), progress),
  );
  for (const [index, { arm, database }] of arms.entries()) {
    const own = results[index] ?? [];
    journal.append({
      type: 'warmup',
      round,
      arm: arm.name,
      load,
      durationMs: loadMs[index] ?? 0,
      outcomes: sumOutcomes(own.map(({ whole }) => whole)).statuses,
      turns: own.map(({ ok }) => ok),
      ...(requests !== null && { turnsMs: own.map(({ wallMs }) => Math.round(wallMs)), wanted: requests }),
    });
    counters?.afterUncounted(database, clock.nowMs());
  }
  for (const [index, { arm }] of arms.entries()) {
    const durationMs = loadMs[index] ?? 0;
    journal.append(uncounted(arm, results[index] ?? [], { round, load, purpose: 'warm-up', durationMs }));
  }
  for (const [index, alive] of arms.entries()) assertAnswers(alive, results[index] ?? []);
}

function warmingTurnMs(scenario: ResolvedScenario, load: LoadLevel, arms: number): number {
  if (traitsOf(load).startsProgram) return PROGRAM_TURN_MS;
  return areOneProcess(scenario) ? Math.max(scenario.load.settleMs ?? 0, TURN_MS / arms) : TURN_MS;
}

/** Length of an arm's next turn, after those that it had; null if it has had enough. */
type NextTurn = (had: readonly UncountedTurn[]) => number | null;

interface UncountedTurn extends TurnResult {
  /** Without the drain. */
  readonly turnMs: number;
}

/** Turns until this many requests are served; not beyond `mostMs`, and where no number is wanted, exactly this long. */
function warmingTurns({ requests, mostMs }: WarmupLength, turnMs: number): NextTurn {
  if (requests === null) {
    const turns = Math.max(1, Math.round(mostMs / turnMs));
    return (had) => (calmOf(had).length < turns ? mostMs / turns : null);
  }
  return (had) => {
    const leftMs = mostMs - calmOf(had).reduce((sum, turn) => sum + turn.turnMs, 0);
    const served = had.reduce((sum, turn) => sum + answersOf(turn), 0);
    if (leftMs < LEAST_TURN_MS || served >= ENOUGH_SHARE * requests) return null;
    const last = had.at(-1);
    const perMs = last === undefined ? 0 : answersOf(last) / last.turnMs;
    const lackingMs = perMs === 0 ? turnMs : Math.max(LEAST_TURN_MS, (requests - served) / perMs);
    return Math.min(turnMs, leftMs, lackingMs);
  };
}

/** Turns in which the run was not stopped: the others are made up for. */
function calmOf<T extends Pick<TurnResult, 'pausedMs'>>(turns: readonly T[]): readonly T[] {
  return turns.filter(({ pausedMs }) => pausedMs === undefined);
}

function answersOf({ whole }: TurnResult): number {
  return Object.values(whole.statuses).reduce((sum, count) => sum + count, 0);
}

/** Warm arms, and load levels that have not been measured. */
export interface TurnsToChoose {
  readonly round: number;
  readonly arms: readonly LiveArm[];
  readonly levels: readonly LoadLevel[];
}

/** Length of turns under each of some load levels: tried once, when the arms are warm. */
export async function chooseTurns(
  context: RoundContext,
  { round, arms, levels }: TurnsToChoose,
  progress: RoundProgress,
): Promise<void> {
  const { scenario } = context;
  const { schedule } = context.load;
  const { journal, clock } = context.io;
  const nextTurn: NextTurn = ({ length }) => (length < TRIAL.turns ? TRIAL.turnMs : null);
  for (const load of levels) {
    if (takesWholeSlices(scenario.load, load)) {
      schedule.useWholeSlices(load, 'kind of load');
      continue;
    }
    const { results, loadMs } = await timed(clock, progress.phases, 'waitMs', () =>
      underLoad(context, { round, arms, load, name: 'trial' }, nextTurn, progress),
    );
    for (const [index, { arm }] of arms.entries()) {
      const durationMs = loadMs[index] ?? 0;
      journal.append(uncounted(arm, results[index] ?? [], { round, load, purpose: 'trial', durationMs }));
    }
    const latencies = results.map((own) => Math.min(...own.map(latencyMsOf)));
    const drains = results.map((own) => calmOf(own).map(({ wallMs, turnMs }) => wallMs - turnMs));
    schedule.choose(load, { latencyMs: Math.max(...latencies), drainMs: longestDrainMs(drains) });
  }
  for (const { database } of arms) context.watch.counters?.afterUncounted(database, clock.nowMs());
}

/** If nothing was answered as expected, the turn was at least as long as an answer. */
function latencyMsOf({ latencyUs, wallMs }: TurnResult): number {
  return latencyUs === null ? wallMs : latencyUs / 1000;
}

interface Uncounted extends Pick<PassToMake, 'round' | 'arms' | 'load'> {
  readonly name: string;
}

interface UncountedLoad {
  readonly results: readonly (readonly UncountedTurn[])[];
  readonly loadMs: readonly number[];
}

/** Load that nothing counts, in turns of all arms; an arm that has had enough is left out of the cycles that follow. */
async function underLoad(
  context: RoundContext,
  { round, arms, load, name }: Uncounted,
  nextTurn: NextTurn,
  progress: RoundProgress,
): Promise<UncountedLoad> {
  const { scenario, seed } = context;
  const { clock, emit } = context.io;
  const streams: LoadStream[] = [];
  for (const alive of arms)
    streams.push(await context.load.generator.open(jobOf(scenario, alive, load, seedOf(seed, round, name))));
  const results = arms.map((): UncountedTurn[] => []);
  const turnMsOf = (arm: number): number | null => nextTurn(results[arm] ?? []);
  // Asked for one after the other, after the turns of the cycle before.
  function* cycles(): Generator<number[]> {
    for (const cycle of turnCycles(arms.length, seedOf(seed, round, name, 'order'))) {
      const lacking = cycle.filter((arm) => turnMsOf(arm) !== null);
      if (lacking.length === 0) return;
      yield lacking;
    }
  }
  try {
    const times = await takeTurns(context.io, {
      arms,
      cycles: cycles(),
      ...switchBeforeTurns(context, arms),
      async give(arm, _, signal) {
        const turnMs = turnMsOf(arm) ?? TURN_MS;
        const result = await streams[arm]?.turn(
          { durationMs: turnMs, fromMs: 0, toMs: turnMs, givesUpEarly: true },
          { signal },
        );
        if (result === undefined) return;
        results[arm]?.push({ ...result, turnMs });
        if (arms[arm] !== undefined) await warnOfDryPool(context, arms[arm], result.whole);
        emit({ kind: 'rate', requestsPerSecond: (1000 * result.ok) / turnMs });
      },
    });
    return { results, loadMs: times.map(loadMsOf) };
  } finally {
    await Promise.allSettled(streams.map((stream) => stream.close()));
    noteLoadEnd(progress, load, clock.nowMs());
  }
}
