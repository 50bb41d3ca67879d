import { cutTo, formatDelta, formatInterval, formatValue, plural } from '../../analysis/format.ts';
import type {
  ArmCapacity,
  CapacityComparison,
  CapacityEvidence,
  CapacitySummary,
} from '../../analysis/judge/capacity/summarize-capacities.ts';
import type { Summary } from '../../analysis/summary.ts';
import { formatShare } from '../../base/units.ts';
import { rank } from './rank.ts';
import { shortName } from './short-name.ts';

const MOST_LINES = 8;
const MOST_CHARACTERS = 40;

/** `requests/s`, `connections`, `users` */
export function capacityUnit({ of }: Pick<CapacitySummary, 'of'>): string {
  return of === 'rate' ? 'requests/s' : of;
}

/**
 * What an arm bears, in a few words: `supports 412 [395, 430], limited by p95_ms`; or why no number can be given, with what
 * that is known by.
 */
export function bearsWords(arm: ArmCapacity, capacity: CapacitySummary): string {
  const unit = capacityUnit(capacity);
  const { outcome, supports, interval, limitedBy, evidence } = arm;
  const [least, most] = [evidence.at(0), evidence.at(-1)];
  switch (outcome) {
    case 'supports': {
      const range = interval === null ? '' : ` [${interval.map(sizeWords).join(', ')}]`;
      return `supports ${sizeWords(supports ?? 0)}${range}, limited by ${limitedBy}`;
    }
    case 'not-reached':
      return `not reached: keeps every limit at ${sizeWords(most?.load ?? capacity.to)} ${unit}${seen(most, null)}`;
    case 'below':
      return `less than ${sizeWords(least?.load ?? capacity.from)} ${unit}: there it breaks ${limitedBy}${seen(least, limitedBy)}`;
    case 'unstable':
      return `unstable: ${scatterWords(arm)}`;
    case 'generator':
      return `limited by the generator, which could not keep up at ${busyAt(evidence)} ${unit}${seen(lastGood(evidence), null, 'before that ')}`;
    case 'not-measured':
      return 'not measured: too few answers for the percentile in a slice, slices that are void, or no probe that gives the value';
  }
}

/** What a table has in place of a number: what is known of an arm of which no capacity can be given. */
export function noSizeWords({ outcome, evidence }: ArmCapacity, { from, to }: CapacitySummary): string {
  switch (outcome) {
    case 'not-reached':
      return `${sizeWords(evidence.at(-1)?.load ?? to)} or more`;
    case 'below':
      return `less than ${sizeWords(evidence.at(0)?.load ?? from)}`;
    case 'unstable':
      return 'unstable';
    case 'generator':
      return 'limited by the generator';
    case 'supports':
    case 'not-measured':
      return 'not measured';
  }
}

function scatterWords({ limitedBy, scatterPercent, rounds }: ArmCapacity): string {
  if (scatterPercent === null || rounds < 2) return `more load does not make ${limitedBy} worse`;
  return `${plural(rounds, 'round')} of ${limitedBy} are off by ${Math.round(scatterPercent)} %, typically`;
}

function busyAt(evidence: readonly CapacityEvidence[]): string {
  return sizeWords(evidence.find(({ generatorBusy }) => generatorBusy > 0)?.load ?? 0);
}

function lastGood(evidence: readonly CapacityEvidence[]): CapacityEvidence | undefined {
  return evidence.findLast(({ generatorBusy, slices }) => generatorBusy < slices);
}

/** ` (p95_ms 120, failed 0 %)` */
function seen(at: CapacityEvidence | undefined, only: string | null, before = ''): string {
  const known = Object.entries(at?.values ?? {}).filter(([metric]) => only === null || metric === only);
  const words = known.map(([metric, value]) => `${metric} ${valueWords(metric, value)}`);
  return words.length === 0 ? '' : ` (${before}${words.join(', ')})`;
}

/** A value of a limit for people: shares in percent. */
export function valueWords(metric: string, value: number | null): string {
  if (value === null) return 'n/a';
  return metric === 'failed' || metric.endsWith('_share') ? formatShare(value) : formatValue(value);
}

/** A load for people. What is fewer than 100 may be between two whole numbers. */
export function sizeWords(size: number): string {
  return size < 99.5 ? String(Number(size.toPrecision(3))) : Math.round(size).toLocaleString('en-US');
}

/** A sentence for each variant: what it bears, and how that differs from the control. */
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
    return `${shortName(arm.variant, run.control, MOST_CHARACTERS)} ${bearsWords(arm, capacity)}${change === null ? '' : changeWords(change, run.control)}.`;
  });
}

/** The same, however many variants there are. */
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
  const range = interval === null ? '' : ` ${formatInterval(interval)}`;
  const said = interval === null ? 'no verdict' : verdict;
  return `; ${formatDelta(deltaPercent)}${range} against ${cutTo(MOST_CHARACTERS, control)}: ${said}`;
}
