import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import { hasNothing, type Left, leftBeside, nothingLeft } from '../../journal/left-records.ts';
import type { Spreads } from '../../journal/length-records.ts';
import type { FoundSoFar, OpenChoice, OpenEstimate } from '../../journal/open-estimate.ts';
import type { RoundRecord, StopReason } from '../../journal/records.ts';
import type { ArmCosts } from '../plan/arm-costs.ts';
import { estimate } from '../plan/estimate.ts';
import { roundsForAnswer } from '../plan/least-rounds.ts';
import { levelPlan } from '../plan/level-plan.ts';
import type { RunEvent } from './events.ts';
import { chooseLengths } from './round/choose-lengths.ts';
import { createLeftArms } from './round/left-arms.ts';
import type { RoundContext } from './round/round-context.ts';
import { createRoundCosts } from './round/round-costs.ts';
import { runRound } from './round/run-round.ts';

/** The judging half's decision on the rounds so far. The run does not know how it is made. */
export interface StopDecision {
  readonly stop: boolean;
  /** Set where it may stop because no rounds would settle what is left. */
  readonly stuck?: true;
  /** Comparisons that have no verdict yet; null where nobody looks, since the run is a shard. */
  readonly undecided: number | null;
  /** The smallest change in percent that can be seen by now; null or absent where that is not known. */
  readonly detectablePercent?: number | null;
  /** Those of them whose interval is known; absent as none. */
  readonly open?: readonly OpenEstimate[];
  /** Load levels without a decision; absent where the run does not ask which setting to take. */
  readonly choices?: readonly OpenChoice[];
  /** Findings of the run by now; absent where nobody looks. */
  readonly found?: FoundSoFar;
  /** The cells and load levels that later rounds do without; absent where that stays. */
  readonly left?: Left;
  /** Spreads that set the lengths; absent where lengths stay. */
  readonly spreads?: Spreads;
  /** Where the limits of arms are thought to be; absent where no capacities are looked for. */
  readonly guesses?: readonly CapacityGuess[];
}

export interface SweepContext extends RoundContext {
  /** The first round to run: 1, or the one after the last complete round of a run that is resumed. */
  readonly firstRound: number;
  /** How far rounds are apart: how many shards the plan has. Absent where the run is no shard. */
  readonly roundStep?: number;
  /** The cells and load levels that a run that is resumed did without. */
  readonly leftBefore?: Left;
  /** Set where all is measured now, whatever left before. */
  readonly allStay?: boolean;
  /** `isEnd`: the run ends now for another reason than what it found. */
  readonly decideStop: (round: number, isEnd?: boolean) => StopDecision;
  /** When the run started, on the context's clock: the budget counts from there. */
  readonly startedAtMs: number;
  readonly quick: boolean;
  /** Costs of starting an arm, measured before the first round; null or absent where nothing was started. */
  readonly armCosts?: ArmCosts | null;
}

/** Rounds until every comparison that matters has its verdict, or the budget or the most rounds are reached. */
export async function runSweep(whole: SweepContext): Promise<StopReason> {
  const {
    scenario,
    load,
    firstRound,
    roundStep = 1,
    leftBefore = nothingLeft,
    allStay = false,
    armCosts = null,
  } = whole;
  const { clock, emit, journal, signal } = whole.io;
  const { min, max, budgetMs, settleWithinMs = budgetMs } = scenario.rounds;
  const { areFixed } = levelPlan(scenario.load);
  const costs = createRoundCosts();
  const left = createLeftArms(scenario, whole.arms, allStay ? nothingLeft : leftBefore);
  const measured = { ...scenario, load: { ...scenario.load, levels: left.inOrder(scenario.load.levels) } };
  const { roundMs: expectedMs } = estimate(measured, undefined, armCosts, load.schedule.fewestTurns());
  const { passesPerRound } = estimate(scenario);
  let [written, context] = [leftBefore, { ...whole, left, arms: left.started() }];
  const slicesMs = (): number =>
    load.levels.levels.reduce((sum, level) => sum + left.shareOf(level) * load.schedule.sliceMs(level), 0);
  const roundMs = (round: number): number =>
    round === firstRound ? expectedMs : costs.besideMs(context.arms.length) + costs.costPerMs() * slicesMs();
  const leftUntil = (limitMs: number): number =>
    limitMs < Number.MAX_SAFE_INTEGER ? context.startedAtMs + limitMs - clock.nowMs() : Number.POSITIVE_INFINITY;
  /** Beyond the budget where the next round does not fit into it, and more time is given. */
  const leftMs = (nextMs: number): number => leftUntil(nextMs > leftUntil(budgetMs) ? settleWithinMs : budgetMs);
  const lastFrom = (round: number, nextMs: number): number =>
    Math.min(max, Math.max(round, round - 1 + Math.floor(leftMs(nextMs) / nextMs)));
  /** Why there is no next round; null where there is one. */
  const whyEnd = (next: number, decided: StopDecision): StopReason | null => {
    if (next > max) return context.quick ? 'quick' : 'rounds';
    const nextMs = roundMs(next);
    if (nextMs > leftMs(nextMs)) return 'budget';
    const isOver = nextMs > leftUntil(budgetMs) && next > roundsForAnswer(scenario);
    // That no rounds would settle it depends on what was found: no end by time.
    return isOver && !maySettle(decided, lastFrom(next, nextMs)) ? 'stuck' : null;
  };
  let isBeyond = false;

  for (let round = firstRound; round <= max; round += roundStep) {
    signal.throwIfAborted();
    const nextMs = roundMs(round);
    const rounds = lastFrom(round, nextMs);
    if (round > firstRound && nextMs > leftUntil(budgetMs)) {
      if (!isBeyond) emit({ kind: 'beyond-budget', leftMs: leftMs(nextMs) });
      isBeyond = true;
    }
    const needed = roundsForAnswer(scenario);
    if (round === firstRound + 1 && rounds < needed) {
      const missingMs = (needed - round + 1) * nextMs - leftMs(nextMs);
      const decides = scenario.question === 'best' && { decides: true as const };
      emit({ kind: 'warning', warning: { kind: 'few-rounds', rounds, needed, missingMs, ...decides } });
    }
    // Only now is it certain that a round does without them.
    if (!isSame(left.now, written)) {
      const [gone, back] = [leftBeside(left.now, written), leftBeside(written, left.now)];
      written = left.now;
      const { cells, levels } = written;
      journal.append({ type: 'left', round: round - roundStep, cells, ...(levels.length > 0 && { levels }) });
      emit({ kind: 'arms-left', gone, back });
    }
    const own = Math.floor((rounds - round) / roundStep) + 1;
    emit({
      kind: 'round-started',
      round,
      rounds,
      passes: passesPerRound - left.now.levels.length,
      leftMs: own * nextMs,
    });
    // How long slices must be at the latency of a level, the first round shows; levels that are looked for, each round.
    const wantedMs = areFixed && round > firstRound ? slicesMs() : null;
    const record = await runRound(context, round);
    costs.add(record, wantedMs ?? slicesMs(), context.arms.length);
    const seen = context.decideStop(round);
    load.levels.learn(seen);
    const isAnswered = round >= min && seen.stop;
    if (!isAnswered && seen.left !== undefined && !isSame(seen.left, left.now)) {
      left.take(seen.left);
      context = { ...context, arms: left.started() };
    }
    const { spreads } = seen;
    const lengths =
      !isAnswered && spreads !== undefined && round < max
        ? chooseLengths(context, { round, spreads, costs, leftMs: leftMs(roundMs(round + 1)), again: round > 1 })
        : null;
    const answered = seen.stuck ? 'stuck' : 'verdicts';
    const reason = isAnswered ? answered : whyEnd(round + roundStep, seen);
    // Such an end spends more of the error, in the report and so in the last line.
    const decided = reason === 'budget' || reason === 'rounds' ? context.decideStop(round, true) : seen;
    emit(roundEnded(record, decided));
    if (lengths !== null) emit({ kind: 'lengths', lengths });
    if (reason !== null) return reason;
  }
  return context.quick ? 'quick' : 'rounds';
}

function roundEnded(
  { round, durationMs }: RoundRecord,
  { undecided, detectablePercent = null, open = [], choices, found }: StopDecision,
): RunEvent {
  const asked = { ...(choices && { choices }), ...(found && { found }) };
  return { kind: 'round-ended', round, durationMs, undecided, detectablePercent, open, ...asked };
}

/** True where some of what is open should be settled by that round, or it is not known what it would take. */
function maySettle({ undecided, open = [], choices = [] }: StopDecision, byRound: number): boolean {
  const waits = [...open, ...choices].map(({ roundsNeeded }) => roundsNeeded);
  if (waits.length === 0) return (undecided ?? 0) > 0;
  return waits.some((rounds) => rounds !== null && rounds <= byRound);
}

function isSame(some: Left, others: Left): boolean {
  return hasNothing(leftBeside(some, others)) && hasNothing(leftBeside(others, some));
}
