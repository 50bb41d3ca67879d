import type { LengthsRecord, Spreads } from '../../journal/length-records.ts';
import { loadKey } from '../../journal/load-level.ts';
import { divideTime } from '../../plan/divide-time.ts';
import { leastSliceMs } from '../../plan/turn-length.ts';
import { warmupAfter } from '../../plan/warmup-length.ts';
import { levelsOf, type RoundContext } from './round-context.ts';
import type { RoundCosts } from './round-costs.ts';

export interface AfterRound {
  readonly round: number;
  readonly spreads: Spreads;
  readonly costs: RoundCosts;
  /** How much of the budget is left. */
  readonly leftMs: number;
  /** Whether the run's lengths were chosen before: the warm-up is, only once. */
  readonly again: boolean;
}

/**
 * Chooses how long slices are from the next round on, and after a run's first round how long warm-up is, and writes it
 * down. Nothing is chosen that the scenario names.
 */
export function chooseLengths(context: RoundContext, { round, spreads, costs, leftMs, again }: AfterRound): void {
  const { scenario, arms, schedule, journal, emit } = context;
  const { load, rounds } = scenario;
  const choosesWarmup = !again && load.warmupRequests !== undefined && spreads.warmup !== null;
  if (load.autoSlice !== true && !choosesWarmup) return;
  const levels = levelsOf(context).filter((level) => !level.bulk);
  if (choosesWarmup && spreads.warmup !== null) {
    const sliceMs = levels.reduce((sum, level) => sum + schedule.sliceMs(level), 0);
    const warmup = warmupAfter(spreads.warmup, sliceMs);
    schedule.take({ warmup, levels: [] });
    const eachMs = warmup.requests === null ? warmup.mostMs : (1000 * warmup.requests) / spreads.warmup.perS;
    costs.expectWarmup(arms.length * eachMs);
  }
  const spreadOf = new Map(spreads.levels.map((spread) => [loadKey(spread.load), spread]));
  const timed = levels.map((level) => ({
    load: level,
    sliceMs: schedule.sliceMs(level),
    leastMs: leastSliceMs(load, schedule.of(level)?.latencyMs ?? 0),
    spread: load.autoSlice === true ? (spreadOf.get(loadKey(level)) ?? null) : null,
  }));
  const lengths: LengthsRecord = {
    type: 'lengths',
    round,
    warmup: schedule.warmup(),
    besideMs: costs.besideMs(),
    // Slices of levels that are found are as long as the scenario says.
    levels:
      load.capacity !== undefined
        ? []
        : divideTime({
            levels: timed,
            besideMs: costs.besideMs(),
            costPerMs: costs.costPerMs(),
            leftMs,
            roundsDone: round,
            mostRounds: rounds.max,
          }),
  };
  schedule.take(lengths);
  journal.append(lengths);
  emit({ kind: 'lengths', lengths });
}
