import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import type { JournalSoFar } from '../../journal/journal.ts';
import { type Left, nothingLeft } from '../../journal/left-records.ts';
import type { Spreads } from '../../journal/length-records.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { FoundSoFar, OpenChoice, OpenEstimate, SearchSoFar } from '../../journal/open-estimate.ts';
import type { Proposal } from '../../journal/proposal-records.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { aggregateRounds } from '../read/aggregate-run.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import { type Metric, meanLatency } from '../read/metrics/metrics.ts';
import { workMetrics } from '../read/metrics/work-metrics.ts';
import { readRounds } from '../read/rounds/complete-rounds.ts';
import { gatherSpreads } from '../read/rounds/spreads.ts';
import type { RunData } from '../read/run-data.ts';
import { looks } from '../stats/looks.ts';
import { decideCapacity, judgeCapacities } from './capacity/judge-capacities.ts';
import { compareVariants, type JudgedComparison } from './compare.ts';
import { compareWork } from './compare-work.ts';
import { percentIn } from './decision/advantage.ts';
import { type Decision, decide } from './decision/decide.ts';
import { leaving } from './decision/leaving.ts';
import { adviceOn, type Recommendation, worstRival } from './decision/recommend.ts';
import { type Gate, isAskedAt } from './gate.ts';
import { type ChangeResult, gatedChange, gatedFindings, isGateOpen, judgeChanges } from './gates.ts';
import { openLimits } from './limits.ts';
import { isQuotable, roundsToQuote } from './quotable.ts';
import { isUnfitUnder, minimumDetectablePercent } from './session.ts';
import { voidLevels, withVoidLevels } from './void-levels.ts';

export interface StopDecision {
  readonly stop: boolean;
  /** Set where something is left without an answer that no rounds would settle. */
  readonly stuck?: true;
  /** Set where the last look has passed: more rounds would not be looked at. */
  readonly isOver?: true;
  /** Load levels without a decision, and comparisons of 2xx/s and of gates, that the run continues for. */
  readonly undecided: number;
  /** The smallest change of 2xx/s in percent that can be seen by now; null where none can yet. */
  readonly detectablePercent: number | null;
  /** The comparisons of 2xx/s that the run continues for, as far as they are known. */
  readonly open: readonly OpenEstimate[];
  /**
   * The load levels without a decision that the run continues for. Absent where neither it nor a gate asks which
   * setting to take.
   */
  readonly choices?: readonly OpenChoice[];
  /** How many rounds in all each open gate on a change needs; null: more than the last look has. Absent without gates. */
  readonly openGates?: readonly (number | null)[];
  readonly found: FoundSoFar;
  /** The cells and load levels that the next rounds do without; absent where it is not the moment to ask. */
  readonly left?: Left;
  /** Variants for the slots of the next rounds; absent where those that are in them stay. */
  readonly proposed?: Proposal;
  /** Set while a run searches; null as long as its model knows of no best setting. */
  readonly search?: SearchSoFar | null;
  /** The scatter of arms, by which the run sets its lengths. */
  readonly spreads: Spreads;
  /** Guesses for the load levels of the next round; absent where a run does not look for capacities. */
  readonly guesses?: readonly CapacityGuess[];
}

export interface StopOptions {
  /** Continue until every change is precise enough to quote its size, not only its direction. */
  readonly size?: boolean;
  /** Continue until every change has a verdict as well, where the question is which setting to take. */
  readonly all?: boolean;
  /** Continue until each of them passes or fails, if more rounds can decide it. */
  readonly gates?: readonly Gate[];
}

/** Keeps what it has seen of a run: it wants each record once, in order. */
export interface StopRule {
  /**
   * Adds records, and decides by all so far. `isEnd`: the run ends now whatever it found, as its report will know.
   * `roundsLeft`: how many more its budget is expected to allow.
   */
  after(records: Iterable<JournalRecord>, isEnd?: boolean, roundsLeft?: number): StopDecision;
}

/**
 * Decides whether a run may stop after its rounds so far. It looks after 4 to 40 rounds, and not before the scenario's
 * `rounds.min`. It stops only when its question is answered: which setting to take under every load level, or else a
 * verdict on the judged metric of every variant under every load level; with `all` both. With `size` intervals must be
 * narrow besides, and gates must be decided. Waiting for a width or a gate does no harm to the error: a look that does
 * not stop was allowed for. The run itself heeds its budget and `rounds.max`. Reads no histogram and needs no probe
 * record, so it is cheap enough for every round. With gates it reads histograms, and `needsProbes` says whether it
 * needs probe records.
 */
export function createStopRule(
  { scenario, quick }: RunRecord,
  { size = false, all = false, gates = [] }: StopOptions = {},
): StopRule {
  const judged = judgedMetric(scenario);
  const margin = marginOf(judged, marginsOf(scenario));
  const toQuote = size ? (one: JudgedComparison) => roundsToQuote(one, margin) : undefined;
  const isAboutBest = scenario.question === 'best';
  const onDecision = gates.filter(({ kind }) => kind === 'decision');
  const isAboutChanges = !isAboutBest || all || size;
  const mayLeave = !quick && mayArmsLeave(scenario, { size, all, gates });
  const needsLatencies =
    gates.length > 0 || judged === meanLatency || judged.percentile !== undefined || scenario.tune?.keep !== undefined;
  const aggregate = aggregateRounds({ scenario, quick }, { latencies: needsLatencies ? 'merged' : 'left alone' });
  const spreads = gatherSpreads(scenario.load);
  const reader = readRounds(scenario, (round) => {
    aggregate.add(round);
    spreads.add(round);
  });
  return {
    after(records, isEnd = false) {
      for (const record of records) reader.add(record);
      const data = withVoidLevels(aggregate.data(reader.beside(isEnd)));
      const session = { reasons: voidLevels(data) };
      const comparisons = compareJudged(data, judged);
      const fit = comparisons.filter(({ load }) => !isUnfitUnder(session, load));
      const unsettled = comparisons.filter(
        (one) => isAboutChanges && (one.verdict === 'noise' || !fit.includes(one) || (size && !isQuotable(one))),
      );
      const decisions = isAboutBest || onDecision.length > 0 ? decide(data, judged, comparisons) : [];
      const asked = decisions.filter(({ load }) => isAboutBest || onDecision.some((gate) => isAskedAt(gate, load)));
      const advice = asked.map((one) => adviceOn(one, session, percentIn(judged)));
      const choices = openChoices(asked, advice);
      const isStuck =
        advice.some(({ state }) => state === 'stuck') ||
        (isAboutChanges && comparisons.some(({ verdict }) => verdict === 'unfit'));
      // A comparison that is open in two ways is one.
      const gated = openGates(data, gates);
      const open = new Set([...unsettled, ...gated].map(comparisonKey));
      const capacities = judgeCapacities(data);
      const found = capacities && decideCapacity(capacities, scenario.marginPercent);
      const limited = openLimits(data);
      const undecided = choices.length + open.size + (found?.open ?? 0) + limited;
      const rounds = data.rounds.length;
      const isLook = looks.includes(rounds) && rounds >= scenario.rounds.min;
      return {
        stop: isLook && undecided === 0,
        ...(isStuck && { stuck: true }),
        undecided,
        detectablePercent: quick ? null : minimumDetectablePercent(comparisons),
        open: unsettled.filter((one) => fit.includes(one)).flatMap((one) => asOpen(one, toQuote)),
        ...(gates.length > 0 && { openGates: gated.map((gate) => roundsOfGate(gate, rounds)) }),
        found: foundSoFar(asked, advice, isAboutChanges ? fit : []),
        ...((isAboutBest || onDecision.length > 0) && { choices }),
        ...(isLook && { left: mayLeave && limited === 0 ? leaving(data, decisions) : nothingLeft }),
        spreads: spreads.spreads(),
        ...(found !== null && { guesses: found.guesses }),
      };
    },
  };
}

/**
 * True where arms may leave a run: it asks which setting to take, and for no change. Arms of one process stay, since
 * leaving saves nothing.
 */
export function mayArmsLeave(
  { question, variants }: ResolvedScenario,
  { size = false, all = false, gates = [] }: StopOptions,
): boolean {
  const asksForChanges = size || all || gates.some(({ kind }) => kind === 'change');
  return question === 'best' && !asksForChanges && !areOneProcess({ variants });
}

/** A comparison that is open, as it is known. `toQuote`: how many rounds its size needs; absent where no size is asked for. */
function asOpen(
  one: JudgedComparison,
  toQuote: ((one: JudgedComparison) => number | null) | undefined,
): OpenEstimate[] {
  const wait = one.notes.find((note) => note.kind === 'rounds-needed');
  const isOfSize = toQuote !== undefined && !isQuotable(one);
  const roundsNeeded = isOfSize ? toQuote(one) : (wait?.rounds ?? null);
  return asKnown(one).map((known) => ({ ...known, roundsNeeded }));
}

function asKnown({ variant, load, deltaPercent, interval }: JudgedComparison): Omit<OpenEstimate, 'roundsNeeded'>[] {
  return deltaPercent === null || interval === null ? [] : [{ variant, load, deltaPercent, interval }];
}

function foundSoFar(
  asked: readonly Decision[],
  advice: readonly Recommendation[],
  changes: readonly JudgedComparison[],
): FoundSoFar {
  const differing = changes.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower').flatMap(asKnown);
  return {
    decided: asked.flatMap(({ load, answer }, level) =>
      answer.state === 'decided' && advice[level]?.state === 'decided'
        ? [{ load, setting: answer.tested.setting.label, variant: answer.tested.setting.variant }]
        : [],
    ),
    differing: differing.sort((a, b) => Math.abs(b.deltaPercent) - Math.abs(a.deltaPercent)),
    same: changes.filter(({ verdict }) => verdict === 'same').length,
  };
}

/** Decides by a whole journal at once. */
export function decideStop({ run, records }: JournalSoFar, options?: StopOptions): StopDecision {
  return createStopRule(run, options).after(records);
}

/**
 * True where gates, a capacity search, limits to keep, a cost or the judged metric need probe records. Work per request is judged as
 * one family, and some of its metrics come from probes.
 */
export function needsProbes(
  gates: readonly Gate[],
  scenario: Pick<ResolvedScenario, 'load' | 'judge' | 'cost' | 'tune'>,
): boolean {
  const asked = [
    judgedMetric(scenario).name,
    ...gates.flatMap((gate) => (gate.kind === 'change' ? [gate.metric] : [])),
  ];
  return (
    scenario.load.capacity !== undefined ||
    scenario.cost !== undefined ||
    scenario.tune?.keep !== undefined ||
    asked.some((metric) => workMetrics.some(({ name }) => name === metric))
  );
}

/** The comparisons by the metric that a run is about. Work per request is judged as it is in the tables. */
function compareJudged(data: RunData, judged: Metric): JudgedComparison[] {
  if (judged.group !== 'work') return compareVariants(data, judged);
  return compareWork(data).filter(({ metric }) => metric.name === judged.name);
}

/** The changes that gates are open for; decisions are open choices. */
function openGates(data: RunData, gates: readonly Gate[]): ChangeResult[] {
  const changes = gatedFindings(data, gates).map((finding) => gatedChange(data, finding, false));
  return judgeChanges(changes, { gates, unclear: 'fail', roundMs: null }).filter(isGateOpen);
}

function roundsOfGate({ notes }: ChangeResult, rounds: number): number | null {
  for (const note of notes) {
    if (note.kind === 'rounds-needed') return note.rounds;
    // Its rounds may be fewer than the run's.
    if (note.kind === 'few-rounds') return rounds + note.needed - note.rounds;
  }
  return null;
}

function comparisonKey({ metric, variant, load }: JudgedComparison | ChangeResult): string {
  return JSON.stringify([typeof metric === 'string' ? metric : metric.name, variant, loadKey(load)]);
}

/**
 * The load levels without a decision that more rounds may decide: those that the report calls open, and those with too many discarded
 * slices.
 */
function openChoices(decisions: readonly Decision[], advice: readonly Recommendation[]): OpenChoice[] {
  return decisions.flatMap(({ answer, settings }, level): OpenChoice[] => {
    const one = advice[level];
    const isOpen = one?.state === 'open' || (one?.state === 'none' && answer.state !== 'none');
    if (one === undefined || answer.state === 'none' || !isOpen) return [];
    const { setting } = answer.tested;
    const rival = one.state === 'open' ? worstRival(one) : null;
    const label = settings.find(({ variant }) => variant === rival?.variant)?.label ?? rival?.variant ?? '';
    const known = rival && { setting: label, percent: rival.percent };
    const roundsNeeded = one.state === 'open' ? answer.tested.roundsNeeded() : null;
    return [{ load: one.load, setting: setting.label, rival: known, roundsNeeded }];
  });
}
