import { seedOf } from '../base/random.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import type { LoadStream, TurnResult } from '../load/load-generator.ts';
import { isSwitchedLive } from '../plan/live-blocks.ts';
import { turnOrder } from '../plan/turn-order.ts';
import type { LiveArm, RoundContext, RoundProgress } from './round-context.ts';
import { switchTo } from './switch-arm.ts';
import { loadMsOf, takeTurns } from './take-turns.ts';

/** How long a turn of the warm-up is, about: a cold process takes some 200 ms to answer what is under way at its end. */
const TURN_MS = 500;
/** Two turns of so long tell an arm's latency under a load level; the better one counts, since a neighbour may strike one. */
const TRIAL = { turns: 2, turnMs: 150 };

/**
 * Warms all arms in turns, for as long as `load.warmup` says each: a process that was just started grows faster for
 * minutes, so what matters is that all are equally warm. Under the heaviest level, which fills the pool and compiles
 * what the lighter ones use.
 */
export async function warmUp(
  context: RoundContext,
  round: number,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  const { scenario, journal, counters, clock, emit } = context;
  const { levels, warmupMs } = scenario.load;
  const load = levels.reduce((most, level) => (level.connections > most.connections ? level : most));
  // One process that all arms share is warmed once, under each of them.
  const armMs = isSwitchedLive(scenario) ? warmupMs / arms.length : warmupMs;
  const turns = Math.max(1, Math.round(armMs / TURN_MS));
  emit({ kind: 'warmup-started', arms: arms.length, durationMs: arms.length * armMs });
  const { results, loadMs } = await underLoad(
    context,
    { round, arms, load, name: 'warmup' },
    { turns, turnMs: armMs / turns },
    progress,
  );
  for (const [index, { arm, database }] of arms.entries()) {
    const own = results[index] ?? [];
    journal.append({
      type: 'warmup',
      round,
      arm: arm.name,
      load,
      durationMs: loadMs[index] ?? 0,
      outcomes: sumOfStatuses(own),
      turns: own.map(({ ok }) => ok),
    });
    counters?.afterUncounted(database, clock.nowMs());
  }
}

/** How long turns are under each load level: tried once, in a session's first round, when the arms are warm. */
export async function chooseTurns(
  context: RoundContext,
  round: number,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  const { scenario, schedule, counters, clock } = context;
  for (const load of scenario.load.levels) {
    if (load.bulk || schedule.of(load) !== undefined) continue;
    const { results } = await underLoad(context, { round, arms, load, name: 'trial' }, TRIAL, progress);
    const latencies = results.map((own) => Math.min(...own.map(latencyMsOf)));
    schedule.choose(load, Math.max(...latencies));
  }
  for (const { database } of arms) counters?.afterUncounted(database, clock.nowMs());
}

/** Where nothing was answered as expected, the turn took at least as long as an answer. */
function latencyMsOf({ latencyUs, wallMs }: TurnResult): number {
  return latencyUs === null ? wallMs : latencyUs / 1000;
}

interface Uncounted {
  readonly round: number;
  readonly arms: readonly LiveArm[];
  readonly load: LoadLevel;
  readonly name: string;
}

/** Load that nothing counts, in turns of all arms. */
async function underLoad(
  context: RoundContext,
  { round, arms, load, name }: Uncounted,
  { turns, turnMs }: { readonly turns: number; readonly turnMs: number },
  progress: RoundProgress,
): Promise<{ readonly results: readonly (readonly TurnResult[])[]; readonly loadMs: readonly number[] }> {
  const { scenario, clock, emit, seed } = context;
  const { timeoutMs } = scenario.load;
  const start = clock.nowMs();
  const streams: LoadStream[] = [];
  for (const { target } of arms)
    streams.push(await context.load.open({ url: target.url, load, seed: seedOf(seed, round, name), timeoutMs }));
  const results = arms.map((): TurnResult[] => []);
  try {
    const times = await takeTurns(context, {
      arms,
      cycles: turnOrder(arms.length, turns, seedOf(seed, round, name, 'order')),
      ...(isSwitchedLive(scenario) && {
        async prepare(arm: number, signal: AbortSignal) {
          const live = arms[arm];
          if (live !== undefined) await switchTo(context, live, signal);
        },
      }),
      async give(arm, _, signal) {
        const result = await streams[arm]?.turn({ durationMs: turnMs, fromMs: 0, toMs: turnMs }, { signal });
        if (result === undefined) return;
        results[arm]?.push(result);
        emit({ kind: 'live', requestsPerSecond: (1000 * result.ok) / turnMs });
      },
    });
    return { results, loadMs: times.map(loadMsOf) };
  } finally {
    await Promise.allSettled(streams.map((stream) => stream.close()));
    progress.phases.warmupMs += clock.nowMs() - start;
    progress.loadEndedAtMs = clock.nowMs();
  }
}

function sumOfStatuses(results: readonly TurnResult[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { whole } of results) {
    for (const [status, count] of Object.entries(whole.statuses)) sums[status] = (sums[status] ?? 0) + count;
  }
  return sums;
}
