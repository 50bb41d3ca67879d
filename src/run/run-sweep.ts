import type { RoundRecord, StopReason } from '../journal/records.ts';
import { estimate } from '../plan/estimate.ts';
import type { RoundContext } from './round-context.ts';
import { runRound } from './run-round.ts';

/** What the judging half says of the rounds so far. The run does not know how it comes to that. */
export interface StopDecision {
  readonly stop: boolean;
  /** Comparisons that have no verdict yet. */
  readonly undecided: number;
}

export interface SweepContext extends RoundContext {
  /** The first round to run: 1, or the one after the last complete round of a run that is resumed. */
  readonly firstRound: number;
  readonly decideStop: (round: number) => StopDecision;
  /** When the run started, on the context's clock: the budget counts from there. */
  readonly startedAtMs: number;
  readonly quick: boolean;
}

/** Rounds until every comparison that matters has its verdict, or the budget or the most rounds are reached. */
export async function runSweep(context: SweepContext): Promise<StopReason> {
  const { scenario, clock, emit, firstRound } = context;
  const { min, max, budgetMs } = scenario.rounds;
  const { roundMs: expectedMs, passesPerRound } = estimate(scenario);
  const done: RoundRecord[] = [];
  const roundMs = (): number =>
    done.length === 0 ? expectedMs : done.reduce((sum, { durationMs }) => sum + durationMs, 0) / done.length;
  const leftMs = (): number => context.startedAtMs + budgetMs - clock.nowMs();

  for (let round = firstRound; round <= max; round++) {
    context.signal.throwIfAborted();
    if (done.length > 0 && roundMs() > leftMs()) return 'budget';
    const rounds = Math.min(max, Math.max(round, round - 1 + Math.floor(leftMs() / roundMs())));
    const untilEndMs = (rounds - round + 1) * roundMs();
    emit({ kind: 'round-started', round, rounds, passes: passesPerRound, leftMs: untilEndMs });
    const record = await runRound(context, round);
    done.push(record);
    const decision = context.decideStop(round);
    emit({ kind: 'round-ended', round, durationMs: record.durationMs, undecided: decision.undecided });
    if (round >= min && decision.stop) return 'verdicts';
  }
  return context.quick ? 'quick' : 'rounds';
}
