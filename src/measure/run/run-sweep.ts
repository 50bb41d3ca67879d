import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import type { Spreads } from '../../journal/length-records.ts';
import type { LineUp } from '../../journal/line-up.ts';
import type { FoundSoFar, OpenChoice, OpenEstimate, SearchSoFar } from '../../journal/open-estimate.ts';
import type { RoundRecord, StopReason } from '../../journal/records.ts';
import { roundsForAnswer } from '../plan/least-rounds.ts';
import { levelPlan } from '../plan/level-plan.ts';
import type { RunPlan } from '../plan/run-plan.ts';
import type { RunEvent } from './events.ts';
import { chooseLengths } from './round/choose-lengths.ts';
import type { RoundContext } from './round/round-context.ts';
import { createRoundCosts } from './round/round-costs.ts';
import { createLineUp, type NextLineUp } from './round/run-line-up.ts';
import { runRound } from './round/run-round.ts';

/** The judging half's decision on the rounds so far. The run does not know how it is made. */
export interface StopDecision extends NextLineUp {
  readonly stop: boolean;
  /** Set where it may stop because no rounds would settle what is left. */
  readonly stuck?: true;
  /** Set where it has had as many rounds as are looked at. */
  readonly isOver?: true;
  /** Comparisons that have no verdict yet; null where nobody looks, since the run is a shard. */
  readonly undecided: number | null;
  /** The smallest change in percent that can be seen by now; null or absent where that is not known. */
  readonly detectablePercent?: number | null;
  /** Those of them whose interval is known; absent as none. */
  readonly open?: readonly OpenEstimate[];
  /** Load levels without a decision; absent where the run does not ask which setting to take. */
  readonly choices?: readonly OpenChoice[];
  /** How many rounds in all each open gate on a change needs, as in those; absent as none. */
  readonly openGates?: readonly (number | null)[];
  /** Findings of the run by now; absent where nobody looks. */
  readonly found?: FoundSoFar;
  /** Set while a run searches; null without a best setting so far. */
  readonly search?: SearchSoFar | null;
  /** Spreads that set the lengths; absent where lengths stay. */
  readonly spreads?: Spreads;
  /** Where the limits of arms are thought to be; absent where no capacities are looked for. */
  readonly guesses?: readonly CapacityGuess[];
}

export interface SweepContext extends Omit<RoundContext, 'arms' | 'lineUp' | 'scenario'> {
  readonly plan: RunPlan;
  /** The first round to run: 1, or the one after the last complete round of a run that is resumed. */
  readonly firstRound: number;
  /** How far rounds are apart: how many shards the plan has. Absent where the run is no shard. */
  readonly roundStep?: number;
  /** The line-up that a run is resumed with. */
  readonly lineUpBefore?: LineUp;
  /** Set where all is measured now, whatever left before. */
  readonly allStay?: boolean;
  /**
   * Asked after each round, and before a session's first where variants are proposed. `isEnd`: the run ends now for another
   * reason than what it found. `roundsLeft`: how many more the budget is expected to allow.
   */
  readonly decideStop: (round: number, isEnd?: boolean, roundsLeft?: number) => StopDecision;
  /** When the run started, on the context's clock: the budget counts from there. */
  readonly startedAtMs: number;
  readonly quick: boolean;
}

/** Rounds until every comparison that matters has its verdict, or the budget or the most rounds are reached. */
export async function runSweep(whole: SweepContext): Promise<StopReason> {
  const { plan, load, firstRound, roundStep = 1, lineUpBefore, allStay = false } = whole;
  const { scenario, estimate: expected } = plan;
  const { clock, emit, signal } = whole.io;
  const { min, max, budgetMs, settleWithinMs = budgetMs } = scenario.rounds;
  const { areFixed } = levelPlan(scenario.load);
  const costs = createRoundCosts();
  const lineUp = createLineUp(scenario, whole.io, { ...(lineUpBefore && { before: lineUpBefore }), allStay });
  /** A search goes up through its range, unless it is resumed. */
  const bounds = load.levels.next.passes === null ? expected.bounds : undefined;
  const expectedMs = areFixed || bounds !== undefined ? expected.firstRoundMs : expected.roundMs;
  let context = { ...whole, ...lineUp.round() };
  const slicesMs = (): number =>
    load.levels.levels.reduce((sum, level) => sum + lineUp.shareOf(level) * load.schedule.sliceMs(level), 0);
  /** Levels that are looked for differ from round to round in what their slices take: as `slicesMs`, by the first round's. */
  let searchedMs: number | null = null;
  const roundMs = (round: number): number =>
    round === firstRound
      ? expectedMs
      : costs.besideMs(context.arms.length) + costs.costPerMs() * (searchedMs ?? slicesMs());
  const leftUntil = (limitMs: number): number =>
    limitMs < Number.MAX_SAFE_INTEGER ? context.startedAtMs + limitMs - clock.nowMs() : Number.POSITIVE_INFINITY;
  /** Beyond the budget where the next round does not fit into it, and more time is given. */
  const leftMs = (nextMs: number): number => leftUntil(nextMs > leftUntil(budgetMs) ? settleWithinMs : budgetMs);
  /** A round after the next one: without what only a session's first has. */
  const laterMs = (round: number, nextMs: number): number => (round === firstRound ? expected.roundMs : nextMs);
  const needed = roundsForAnswer(scenario);
  const lastFrom = (round: number, nextMs: number): number => {
    const by = (ms: number): number =>
      Math.min(max, Math.max(round, round + Math.floor((ms - nextMs) / laterMs(round, nextMs))));
    // Until there can be an answer, all of its time is the run's.
    return Math.max(by(leftMs(nextMs)), Math.min(needed, by(leftUntil(settleWithinMs))));
  };
  /** Why there is no next round; null where there is one. */
  const whyEnd = (next: number, decided: StopDecision): StopReason | null => {
    if (next > max || decided.isOver) return context.quick ? 'quick' : 'rounds';
    const nextMs = roundMs(next);
    if (nextMs > leftMs(nextMs)) return 'budget';
    const isOver = nextMs > leftUntil(budgetMs) && next > needed;
    if (!isOver) return null;
    // Beyond the budget nothing is measured once all is decided.
    if (decided.undecided === 0) return answered(decided);
    if (maySettle(decided, lastFrom(next, nextMs))) return null;
    return maySettle(decided, Number.POSITIVE_INFINITY) ? 'unsettled' : 'stuck';
  };
  /** Server or service may refuse a variant that was proposed: the round begins again without it. */
  const completeRound = async (round: number): Promise<RoundRecord> => {
    try {
      return await runRound(context, round);
    } catch (error) {
      if (signal.aborted || !lineUp.refuse(error, round)) throw error;
      context = { ...whole, ...lineUp.round() };
      return completeRound(round);
    }
  };
  /** Asks what comes after a round. */
  const decideAfter = (round: number): StopDecision => {
    const next = round + roundStep;
    return whole.decideStop(round, false, next > max ? 0 : Math.floor(leftMs(roundMs(next)) / roundMs(next)));
  };
  const before = firstRound - roundStep;
  // A proposal that is written down stands.
  if (scenario.slots !== undefined && lineUpBefore?.proposed?.round !== before) {
    lineUp.take(decideAfter(before), before);
    context = { ...whole, ...lineUp.round() };
  }
  let isBeyond = false;

  for (let round = firstRound; round <= max; round += roundStep) {
    signal.throwIfAborted();
    const nextMs = roundMs(round);
    const rounds = lastFrom(round, nextMs);
    if (round > firstRound && nextMs > leftUntil(budgetMs)) {
      if (!isBeyond) emit({ kind: 'beyond-budget', leftMs: leftMs(nextMs) });
      isBeyond = true;
    }
    if (round === firstRound + 1 && rounds < needed) {
      const missingMs = (needed - round + 1) * nextMs - leftUntil(settleWithinMs);
      const decides = scenario.question === 'best' && { decides: true as const };
      const searches = scenario.tune && { searches: true as const };
      emit({ kind: 'warning', warning: { kind: 'few-rounds', rounds, needed, missingMs, ...decides, ...searches } });
    }
    lineUp.write(round - roundStep);
    const own = Math.floor((rounds - round) / roundStep) + 1;
    emit({
      kind: 'round-started',
      round,
      rounds,
      passes: areFixed
        ? scenario.load.levels.length - lineUp.left.levels.length
        : (load.levels.next.passes ?? expected.passesPerRound),
      leftMs: nextMs + (own - 1) * laterMs(round, nextMs),
      ...(round === firstRound && bounds !== undefined && { bounds, budgetLeftMs: leftUntil(budgetMs) }),
    });
    // How long slices must be at the latency of a level, the first round shows; levels that are looked for, each round.
    const wantedMs = areFixed && round > firstRound ? slicesMs() : null;
    const record = await completeRound(round);
    costs.add(record, wantedMs ?? searchedMs ?? slicesMs(), context.arms.length);
    const seen = decideAfter(round);
    load.levels.learn(seen);
    if (!areFixed) searchedMs = (searchedMs ?? slicesMs()) * load.levels.next.growth;
    const isAnswered = round >= min && seen.stop;
    if (!isAnswered) {
      lineUp.take(seen, round);
      context = { ...whole, ...lineUp.round() };
    }
    const { spreads } = seen;
    const lengths =
      !isAnswered && spreads !== undefined && round < max
        ? chooseLengths(context, { round, spreads, costs, leftMs: leftMs(roundMs(round + 1)), again: round > 1 })
        : null;
    const reason = isAnswered ? answered(seen) : whyEnd(round + roundStep, seen);
    // Such an end spends more of the error, in the report and so in the last line. 'unsettled' is none: that it ends here, and not
    // at the end of the added time, depends on what was found. So it is a look, as any other before the end by time.
    const decided = reason === 'budget' || reason === 'rounds' ? context.decideStop(round, true) : seen;
    emit(roundEnded(record, decided));
    if (lengths !== null) emit({ kind: 'lengths', lengths });
    if (reason !== null) return reason;
  }
  return context.quick ? 'quick' : 'rounds';
}

function answered({ stuck }: StopDecision): StopReason {
  return stuck ? 'stuck' : 'verdicts';
}

function roundEnded(
  { round, durationMs }: RoundRecord,
  { undecided, detectablePercent = null, open = [], choices, found, search }: StopDecision,
): RunEvent {
  const asked = { ...(choices && { choices }), ...(found && { found }), ...(search !== undefined && { search }) };
  return { kind: 'round-ended', round, durationMs, undecided, detectablePercent, open, ...asked };
}

/** True where some of what is open should be settled by that round, or it is not known what it would take. */
function maySettle({ undecided, open = [], choices = [], openGates = [] }: StopDecision, byRound: number): boolean {
  const waits = [...[...open, ...choices].map(({ roundsNeeded }) => roundsNeeded), ...openGates];
  if (waits.length === 0) return (undecided ?? 0) > 0;
  return waits.some((rounds) => rounds !== null && rounds <= byRound);
}
