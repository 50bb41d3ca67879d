import { formatShare } from '../../base/units.ts';
import { axisUnit } from '../../journal/load-traits.ts';
import { cutTo, formatChange, formatCount, formatDelta, formatValue, plural } from '../../judge/format.ts';
import type { CapacityOutcome, NoCapacity, TooFewAnswers } from '../../judge/notes.ts';
import type { Summary } from '../../judge/summary.ts';
import type {
  ArmCapacity,
  CapacityComparison,
  CapacityEvidence,
  CapacitySummary,
} from '../../judge/verdicts/capacity/summarize-capacities.ts';
import { rank } from './judged.ts';
import { shortName, someNames } from './short-name.ts';

const MOST_LINES = 8;
const MOST_CHARACTERS = 40;
/** This many variants without an answer are named. */
const MOST_NAMED = 3;

/**
 * The load that an arm sustains, in a few words: `supports 412 [395, 430], limited by p95_ms`. Else why no number can
 * be given, with its evidence.
 */
export function capacityWords(arm: ArmCapacity, capacity: CapacitySummary): string {
  const unit = axisUnit(capacity.of);
  const { outcome, supports, interval, limitedBy, evidence } = arm;
  switch (outcome) {
    case 'supports': {
      const range = interval === null ? '' : ` [${interval.map(sizeWords).join(', ')}]`;
      return `supports ${sizeWords(supports ?? 0)}${range}, limited by ${limitedBy}`;
    }
    case 'not-reached':
      return `not reached: keeps every limit at ${sizeWords(mostKept(arm)?.load ?? capacity.to)} ${unit}${seen(mostKept(arm), null)}`;
    case 'below':
      return `less than ${sizeWords(leastBroken(arm)?.load ?? capacity.from)} ${unit}: there it breaks ${limitedBy}${seen(leastBroken(arm), limitedBy)}${unknownWords(arm)}`;
    case 'unstable':
      return `unstable: ${scatterWords(arm)}`;
    case 'generator':
      return `${generatorWords(evidence, unit)}${seen(lastGood(evidence), null, 'before that ')}`;
    case 'not-measured':
      return unmeasuredWords(arm, unit);
  }
}

function unmeasuredWords(arm: ArmCapacity, unit: string): string {
  const kept = mostKept(arm);
  if (kept === undefined)
    return 'not measured: too few answers for the percentile in a slice, slices that are discarded, or no probe that gives the value';
  const why = unknownWords(arm) || '; the run ended before it tried more load';
  return `not measured: keeps every limit up to ${sizeWords(kept.load)} ${unit}${seen(kept, null)}${why}`;
}

const noAnswerWords: Readonly<Record<CapacityOutcome, string>> = {
  generator: 'before any limit was reached, the load generator or the machine was too busy',
  unstable: 'rounds found loads that are too far apart',
  'not-measured': 'no slice shows where the limits are',
  supports: 'supported',
  'not-reached': 'not reached',
  below: 'below the range',
};

/** Why a run that looked for capacities has no answer, and for which variants. */
export function noCapacityWords({ variants, outcomes, tooFew }: NoCapacity): string {
  const why =
    tooFew === undefined
      ? outcomes.map((outcome) => noAnswerWords[outcome]).join(', ')
      : `a slice had ${formatCount(tooFew.answers)} answers at most, and ${tooFew.metric} needs ${formatCount(tooFew.needed)}`;
  return `the question has no answer for ${someNames(variants, MOST_NAMED)}: ${why}`;
}

/** A value of `load.slice`: `4s`. */
export function longerSlice({ sliceMs }: TooFewAnswers): string {
  return `${sliceMs / 1000}s`;
}

/** The words in place of a number, for an arm whose capacity cannot be given. */
export function noSizeWords(arm: ArmCapacity, { from, to }: CapacitySummary): string {
  switch (arm.outcome) {
    case 'not-reached':
      return `${sizeWords(mostKept(arm)?.load ?? to)} or more`;
    case 'below':
      return `less than ${sizeWords(leastBroken(arm)?.load ?? from)}`;
    case 'unstable':
      return 'unstable';
    case 'generator':
      return isMachine(arm.evidence) ? 'limited by the machine' : 'limited by the generator';
    case 'supports':
    case 'not-measured':
      return 'not measured';
  }
}

function scatterWords({ limitedBy, scatterPercent, rounds }: ArmCapacity): string {
  if (scatterPercent === null || rounds < 2) return `more load does not make ${limitedBy} worse`;
  return `${plural(rounds, 'round')} of ${limitedBy} are off by ${Math.round(scatterPercent)} %, typically`;
}

/** The largest load at which all limits are known. */
function mostKept({ evidence }: ArmCapacity): CapacityEvidence | undefined {
  return evidence.findLast(({ known }) => Object.values(known).every((slices) => slices > 0));
}

/** The smallest load at which the limit is known that is broken. */
function leastBroken({ evidence, limitedBy }: ArmCapacity): CapacityEvidence | undefined {
  return evidence.find(({ known }) => (known[limitedBy ?? ''] ?? 0) > 0);
}

/** `; with less load no slice shows p95_ms`: what is not known towards the end of the range that was asked for. */
function unknownWords(arm: ArmCapacity): string {
  const { evidence, outcome, limitedBy } = arm;
  const at = outcome === 'below' ? evidence.at(0) : evidence.at(-1);
  const unknown = Object.keys(at?.known ?? {}).filter((metric) => at?.known[metric] === 0);
  const said = outcome === 'below' ? unknown.filter((metric) => metric === limitedBy) : unknown;
  if (said.length === 0) return '';
  return `; with ${outcome === 'below' ? 'less' : 'more'} load no slice shows ${said.join(', ')}`;
}

/** The machine let the generator wait in each of the slices that say how far it can go. */
function isMachine(evidence: readonly CapacityEvidence[]): boolean {
  return evidence.every(({ generatorBusy, machineBusy }) => generatorBusy === machineBusy);
}

function generatorWords(evidence: readonly CapacityEvidence[], unit: string): string {
  const at = `${sizeWords(evidence.find(({ generatorBusy }) => generatorBusy > 0)?.load ?? 0)} ${unit}`;
  return isMachine(evidence)
    ? `limited by the machine: at ${at} it was so busy that requests were sent late, though the load generator had time to spare`
    : `limited by the generator, which could not keep up at ${at}`;
}

function lastGood(evidence: readonly CapacityEvidence[]): CapacityEvidence | undefined {
  return evidence.findLast(({ generatorBusy, slices }) => generatorBusy < slices);
}

/** ` (p95_ms 120, failed 0 %)` */
function seen(at: CapacityEvidence | undefined, only: string | null, before = ''): string {
  const known = Object.entries(at?.values ?? {}).filter(([metric]) => only === null || metric === only);
  const words = known.map(([metric, value]) => `${metric} ${valueWords(metric, value, at?.known[metric])}`);
  return words.length === 0 ? '' : ` (${before}${words.join(', ')})`;
}

/** A value of a limit for people: shares in percent. `known`: in how many slices there is one. */
export function valueWords(metric: string, value: number | null, known = 0): string {
  if (value === null) return known > 0 ? 'beyond measure, so many requests failed' : 'n/a';
  return metric === 'failed' || metric.endsWith('_share') ? formatShare(value) : formatValue(value);
}

/** A load for people. What is fewer than 100 may be between two whole numbers. */
export function sizeWords(size: number): string {
  return size < 99.5 ? String(Number(size.toPrecision(3))) : Math.round(size).toLocaleString('en-US');
}

/** A sentence for each variant: the load that it sustains, and its difference from the control. */
export function capacityLines({ capacity, run }: Summary): string[] {
  if (capacity === null) return [];
  const control = capacity.arms.filter(({ variant, repeat }) => variant === run.control && !repeat);
  const others = capacity.arms.filter(({ variant }) => variant !== run.control);
  const rankOf = ({ variant }: ArmCapacity): number => {
    const change = changeOf(capacity, variant);
    return change === null ? 0 : rank(change);
  };
  return [...control, ...others.sort((a, b) => rankOf(a) - rankOf(b))].map((arm) => {
    const change = changeOf(capacity, arm.variant);
    return `${shortName(arm.variant, run, MOST_CHARACTERS)} ${capacityWords(arm, capacity)}${change === null ? '' : changeWords(change, run.control)}.`;
  });
}

/** Capacity sentences for the first screen: a bounded number of them. */
export function shortCapacityLines(summary: Summary): string[] {
  const all = capacityLines(summary);
  if (all.length <= MOST_LINES) return all;
  return [...all.slice(0, MOST_LINES - 1), `${plural(all.length - MOST_LINES + 1, 'more variant')} in the table.`];
}

function changeOf({ comparisons }: CapacitySummary, variant: string): CapacityComparison | null {
  return comparisons.find((one) => one.variant === variant) ?? null;
}

/** `; +12 % [+8, +16] against pool=10: higher` */
function changeWords({ deltaPercent, interval, verdict }: CapacityComparison, control: string): string {
  if (deltaPercent === null) return '';
  const change = interval === null ? formatDelta(deltaPercent) : formatChange(deltaPercent, interval);
  const said = interval === null ? 'no verdict' : verdict;
  return `; ${change} against ${cutTo(MOST_CHARACTERS, control)}: ${said}`;
}
