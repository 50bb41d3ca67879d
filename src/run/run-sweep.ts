import type { CapacityGuess } from '../journal/capacity/capacity-records.ts';
import type { Spreads } from '../journal/length-records.ts';
import type { OpenChoice, OpenEstimate } from '../journal/open-estimate.ts';
import type { StopReason } from '../journal/records.ts';
import { estimate } from '../plan/estimate.ts';
import { chooseLengths } from './round/choose-lengths.ts';
import { levelsOf, type RoundContext } from './round/round-context.ts';
import { createRoundCosts } from './round/round-costs.ts';
import { runRound } from './round/run-round.ts';

/** What the judging half says of the rounds so far. The run does not know how it comes to that. */
export interface StopDecision {
  readonly stop: boolean;
  /** Comparisons that have no verdict yet; null where nobody looks, since the run is a shard. */
  readonly undecided: number | null;
  /** The smallest change in percent that can be seen by now; null or absent where that is not known. */
  readonly detectablePercent?: number | null;
  /** Those of them whose interval is known; absent as none. */
  readonly open?: readonly OpenEstimate[];
  /** Load levels without a decision; absent where the run does not ask which setting to take. */
  readonly choices?: readonly OpenChoice[];
  /** What lengths are set by; absent where they are to stay. */
  readonly spreads?: Spreads;
  /** Where the limits of arms are thought to be; absent where no capacities are looked for. */
  readonly guesses?: readonly CapacityGuess[];
}

export interface SweepContext extends RoundContext {
  /** The first round to run: 1, or the one after the last complete round of a run that is resumed. */
  readonly firstRound: number;
  /** How far rounds are apart: how many shards the plan has. Absent where the run is no shard. */
  readonly roundStep?: number;
  readonly decideStop: (round: number) => StopDecision;
  /** When the run started, on the context's clock: the budget counts from there. */
  readonly startedAtMs: number;
  readonly quick: boolean;
}

/** Rounds until every comparison that matters has its verdict, or the budget or the most rounds are reached. */
export async function runSweep(context: SweepContext): Promise<StopReason> {
  const { scenario, schedule, clock, emit, firstRound, roundStep = 1 } = context;
  const { min, max, budgetMs } = scenario.rounds;
  const { roundMs: expectedMs, passesPerRound } = estimate(scenario);
  const costs = createRoundCosts();
  const slicesMs = (): number => levelsOf(context).reduce((sum, level) => sum + schedule.sliceMs(level), 0);
  const roundMs = (round: number): number =>
    round === firstRound ? expectedMs : costs.besideMs() + costs.costPerMs() * slicesMs();
  const leftMs = (): number =>
    budgetMs < Number.MAX_SAFE_INTEGER ? context.startedAtMs + budgetMs - clock.nowMs() : Number.POSITIVE_INFINITY;

  for (let round = firstRound; round <= max; round += roundStep) {
    context.signal.throwIfAborted();
    const nextMs = roundMs(round);
    if (round > firstRound && nextMs > leftMs()) return 'budget';
    const rounds = Math.min(max, Math.max(round, round - 1 + Math.floor(leftMs() / nextMs)));
    const own = Math.floor((rounds - round) / roundStep) + 1;
    emit({ kind: 'round-started', round, rounds, passes: passesPerRound, leftMs: own * nextMs });
    const wantedMs = context.search === undefined ? slicesMs() : null;
    const record = await runRound(context, round);
    costs.add(record, wantedMs ?? slicesMs());
    const {
      stop,
      undecided,
      detectablePercent = null,
      open = [],
      choices,
      spreads,
      guesses,
    } = context.decideStop(round);
    if (context.search !== undefined && guesses !== undefined) context.search.guesses = guesses;
    emit({
      kind: 'round-ended',
      round,
      durationMs: record.durationMs,
      undecided,
      detectablePercent,
      open,
      ...(choices && { choices }),
    });
    if (round >= min && stop) return 'verdicts';
    if (spreads !== undefined && round < max)
      chooseLengths(context, { round, spreads, costs, leftMs: leftMs(), again: round > 1 });
  }
  return context.quick ? 'quick' : 'rounds';
}
