import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { ComparisonNote, RoundsNeeded } from '../notes.ts';
import { boundsWithMean } from '../odd-starts.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import { durationMetric, metrics } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import type { Bounds, Evidence, Interval } from '../stats/interval.ts';
import { looks } from '../stats/looks.ts';
import { significant, significantOrNull, significantRange, toPercent } from '../stats/rounding.ts';
import { roundsToLimit } from '../stats/rounds-needed.ts';
import { caveatsOf } from './caveats.ts';
import { compareVariants, type JudgedComparison } from './compare.ts';
import { compareWork } from './compare-work.ts';
import { byCost } from './decision/cost-order.ts';
import { type DecisionResult, judgeDecision } from './decision/decision-gate.ts';
import type { Advice } from './decision/recommend.ts';
import {
  type ChangeGate,
  type Gate,
  type GateChoice,
  type GateOutcome,
  type GateRules,
  type GateVerdict,
  isAskedOf,
} from './gate.ts';
import { fasterByLoss, fasterByLossNote, lossesOfControl } from './loss.ts';
import { isUnfitUnder, type Session } from './session.ts';
import { certainCarryOver, createTurnsFinder, holdingBoth, holdingImages, imagesPercent } from './withheld-verdicts.ts';

/** Low and high, in percent. */
type Range = readonly [number, number];

/** Both kinds of bounds, in percent. */
export interface PercentBounds {
  readonly shared: Range;
  readonly own: Range;
}

/** A change that gates look at. */
export interface GatedChange<OwnNote = ComparisonNote> {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: string;
  /** In percent. */
  readonly deltaPercent: number | null;
  /**
   * `shared` holds for all comparisons of the metric at once: a gate fails by it. Of `own` each end holds by itself: a gate
   * passes by it. Null where nothing can be judged.
   */
  readonly bounds: PercentBounds | null;
  /** Why nothing can be judged; where something can, what a gate must not pass with, such as more failures. */
  readonly notes: readonly OwnNote[];
  /** Evidence for how many rounds a decision takes; null where more rounds would not help. */
  readonly evidence: Evidence | null;
}

/** A gate on changes, asked of one variant under one load level. */
export interface ChangeResult<OwnNote = ComparisonNote> extends GateVerdict {
  readonly kind: 'change';
  readonly metric: string;
  readonly limitPercent: number;
  readonly variant: string;
  readonly load: LoadLevel;
  readonly deltaPercent: number | null;
  /**
   * In percent: low, high. The end that a gate fails by holds for all comparisons of the metric at once. The end that
   * it passes by holds by itself, at 95 %.
   */
  readonly interval: readonly [number, number] | null;
  /** Why it is unclear. */
  readonly notes: readonly (OwnNote | RoundsNeeded)[];
}

/** A gate, asked of one load level, and of one variant where it is about changes. */
export type GateResult<OwnNote = ComparisonNote> = ChangeResult<OwnNote> | DecisionResult;

/**
 * Applies each gate on changes to each change that it names. It fails where its whole interval is beyond the limit,
 * passes where all of it is within, else it is unclear.
 *
 * The chance that any of a metric's gates fails although its change is within the limit is up to 2.5 % (5 % for gates
 * in both directions), for all variants, load levels and looks together: that end is a repeated confidence interval of
 * a family (Jennison & Turnbull, Interim analyses: the repeated confidence interval approach, 1989). The chance that a
 * gate passes although its change is beyond the limit is up to 5 % for each by itself, all looks together. So is the
 * chance that a command passes with such a change: all its gates have to pass, and that takes no smaller shares
 * (Berger, Multiparameter hypothesis testing and acceptance sampling, 1982). Both hold for any limit, also one that was
 * chosen with the results in sight.
 */
export function judgeChanges<OwnNote = ComparisonNote>(
  changes: readonly GatedChange<OwnNote>[],
  rules: GateRules,
): ChangeResult<OwnNote>[] {
  const onChanges = rules.gates.filter((gate) => gate.kind === 'change');
  return onChanges.flatMap((gate) =>
    changes.filter((change) => isAskedOf(gate, change)).map((change) => judgeChange(gate, change, rules)),
  );
}

function judgeChange<OwnNote>(
  gate: ChangeGate,
  change: GatedChange<OwnNote>,
  { unclear, roundMs }: GateRules,
): ChangeResult<OwnNote> {
  const { variant, load, deltaPercent, evidence } = change;
  const interval = intervalFor(gate, change);
  const outcome = outcomeOf(gate, interval, change.notes);
  const isOpen = outcome === 'unclear' && interval !== null && !interval.every((end) => isWithin(gate, end));
  const wait = isOpen && evidence !== null ? waitOf(gate, evidence) : null;
  const more = wait?.rounds == null || evidence === null ? null : wait.rounds - evidence.course.rounds;
  return {
    kind: 'change',
    gate: gate.text,
    metric: gate.metric,
    limitPercent: gate.limitPercent,
    variant,
    load,
    outcome,
    failed: outcome === 'fail' || (outcome === 'unclear' && unclear === 'fail'),
    deltaPercent: significantOrNull(deltaPercent),
    interval: interval && significantRange(interval),
    notes: outcome === 'pass' ? [] : [...change.notes, ...(wait === null ? [] : [wait])],
    moreMinutes: more === null || roundMs === null ? null : significant((more * roundMs) / 60_000),
  };
}

/** True where more rounds may decide it. Rounds with a 0 never do: there is no ratio. */
export function isGateOpen({ outcome, notes }: ChangeResult): boolean {
  if (outcome !== 'unclear' || notes.some(({ kind }) => kind === 'both-zero')) return false;
  return notes.some(({ kind }) => kind === 'rounds-needed' || kind === 'few-rounds');
}

function isUpper({ holds }: ChangeGate): boolean {
  return holds === '<' || holds === '<=';
}

/** A change must not be above the limit: low is what a gate fails by, high what it passes by; else the other way round. */
function intervalFor(gate: ChangeGate, { bounds }: Pick<GatedChange, 'bounds'>): Range | null {
  if (bounds === null) return null;
  const { shared, own } = bounds;
  return isUpper(gate) ? [shared[0], own[1]] : [own[0], shared[1]];
}

function outcomeOf(gate: ChangeGate, interval: Range | null, notes: readonly unknown[]): GateOutcome {
  if (interval === null) return 'unclear';
  // What holds at both ends holds between them.
  const [low, high] = interval.map((end) => isWithin(gate, end));
  if (low !== high) return 'unclear';
  if (low) return notes.length === 0 ? 'pass' : 'unclear';
  return 'fail';
}

function isWithin({ holds, limitPercent }: ChangeGate, percent: number): boolean {
  if (holds === '<') return percent < limitPercent;
  if (holds === '<=') return percent <= limitPercent;
  return holds === '>' ? percent > limitPercent : percent >= limitPercent;
}

function waitOf(gate: ChangeGate, evidence: Evidence): RoundsNeeded {
  const limit = { log: Math.log1p(gate.limitPercent / 100), isUpper: isUpper(gate) };
  return { kind: 'rounds-needed', rounds: roundsToLimit(evidence, limit), most: looks.at(-1) ?? 0 };
}

/** The comparisons that gates are about, judged as everywhere: each metric is a family, and work per request is one. */
export function gatedFindings(data: RunData, gates: readonly Gate[]): JudgedComparison[] {
  const names = new Set<string>(gates.flatMap((gate) => (gate.kind === 'change' ? [gate.metric] : [])));
  const ofLoad = [durationMetric, ...metrics].filter(({ name }) => names.has(name));
  const hasWork = names.size > ofLoad.length;
  return [
    ...ofLoad.flatMap((metric) => compareVariants(data, metric)),
    ...(hasWork ? compareWork(data) : []).filter(({ metric }) => names.has(metric.name)),
  ];
}

/** Bounds of a log ratio in percent, this many percentage points wider. */
export function percentBounds({ shared, own }: Bounds, off = 0): PercentBounds {
  const range = ({ low, high }: Interval): Range => [toPercent(low) - off, toPercent(high) + off];
  return { shared: range(shared), own: range(own) };
}

/**
 * A finding for gates. Nothing can be judged where it has no interval, or is unfit. A gate does not pass with more
 * failures than the control's, with lost documents, or with waits of unknown size that turns hid. Nor does one fail where the
 * control was better with documents lost. Carry-over from turn to turn widens the interval, which also holds the change by
 * what came within turns, and of WAL bytes the one without images of pages. Odd starts that move the mean widen the end
 * that a gate passes by.
 */
export function gatedChange(data: RunData, finding: JudgedComparison, isUnfit: boolean): GatedChange {
  const { variant, load, metric, contrast, deltaPercent, evidence, interval, verdict } = finding;
  const common = { variant, load, metric: metric.name, deltaPercent, evidence };
  const limits = evidence === null ? null : boundsWithMean(evidence, marginOf(metric, marginsOf(data.scenario)));
  if (isUnfit) return { ...common, bounds: null, notes: [{ kind: 'unfit' }] };
  if (interval === null || verdict === 'unfit' || limits === null) {
    return { ...common, bounds: null, notes: finding.notes };
  }
  // A gate passes also with noise that lies within its limit.
  const passed = verdict === 'noise' ? 'same' : verdict;
  if (fasterByLoss(data, { ...finding, verdict: passed }) === 'control') {
    return {
      ...common,
      bounds: null,
      notes: [...lossesOfControl(data, contrast), fasterByLossNote('control', passed)],
    };
  }
  const off = certainCarryOver(data, contrast);
  const { shared, own } = percentBounds(limits, off);
  const { shift, isUnsure } = createTurnsFinder(data)(metric, contrast);
  const images = imagesPercent(data, finding);
  const widened = (range: Range): Range => holdingImages(holdingBoth(range, shift), images);
  const bounds = { shared: widened(shared), own: widened(own) };
  const hidden: ComparisonNote[] = isUnsure ? [{ kind: 'outlast-turns', byTurnsPercent: null }] : [];
  return { ...common, bounds, notes: [...caveatsOf(data, contrast.cell), ...hidden] };
}

interface Judged {
  readonly comparisons: readonly JudgedComparison[];
  readonly advice: Advice;
  readonly session: Session;
}

/** The results of gates for a whole run, whose comparisons and decisions are known already. */
export function gateResults(data: RunData, { comparisons, advice, session }: Judged, choice: GateChoice): GateResult[] {
  if (choice.gates.length === 0) return [];
  const known = new Set(comparisons.map(({ metric }) => metric.name));
  // What this kind of load does not have is not measured, and a gate on it is not passed over.
  const others = gatedFindings(
    data,
    choice.gates.filter((gate) => gate.kind === 'change' && !known.has(gate.metric)),
  );
  const changes = [...comparisons, ...others].map((finding) =>
    gatedChange(data, finding, isUnfitUnder(session, finding.load)),
  );
  const decisions = { advice, settings: byCost(data).settings, rounds: data.rounds.length };
  const rules = { ...choice, roundMs: data.roundMs };
  return choice.gates.flatMap((gate): GateResult[] =>
    gate.kind === 'decision'
      ? judgeDecision(gate, decisions, rules)
      : judgeChanges(changes, { ...rules, gates: [gate] }),
  );
}
