import { markdownTable } from 'markdown-table';
import { groupBy } from '../../../src/base/group-by.ts';
import { type Finished, type JudgedChange, judgeChanges, judgeValues } from './judged.ts';
import { type Metric, metrics, type Planting } from './planting.ts';

const labels = ['2xx/s', 'mean', 'p95', 'p99'];

/** A planting that was measured. */
export interface Measured {
  readonly planting: Planting;
  readonly finished: Finished;
}

/** More variants that do not differ, under one load, are one row. */
const MOST_ROWS = 3;

/** One row a variant of each planting, and a line that counts. */
export function truthTable(all: readonly Measured[]): string {
  const rows = all.flatMap(({ planting, finished }) => {
    const values = judgeValues(planting, finished);
    return groupBy(judgeChanges(planting, finished), ({ load }) => load).flatMap((changes) => {
      const row = (name: string, texts: readonly string[], held = ''): string[] => [
        planting.about,
        changes[0]?.load ?? '',
        name,
        ...texts,
        held,
      ];
      const variants = groupBy(changes, ({ variant }) => variant);
      if (planting.kind === 'identical' && variants.length > MOST_ROWS) {
        const ofMetric = (name: Metric): string => changesText(changes.filter(({ metric }) => metric === name));
        return [row(`${variants.length} variants`, metrics.map(ofMetric))];
      }
      return variants.map((own) => {
        const variant = own[0]?.variant ?? '';
        const ofArm = values.filter(({ arm }) => arm === variant);
        const held = ofArm.length === 0 ? '' : `${ofArm.filter(({ holds }) => holds).length} of ${ofArm.length}`;
        const told = metrics.map((name) => changeText(own.find(({ metric }) => metric === name)));
        return row(variant, told, held);
      });
    });
  });
  const head = ['planted', 'connections', 'variant', ...labels.map((label) => `${label}, %`), 'values'];
  return `${markdownTable([head, ...rows], { align: [null, 'r'] })}\n\n${summaryLine(all)}`;
}

/** `12 same, 7 noise, furthest 0.0: -3.5 [-12.6, +6.5] noise`; one that is wrong in place of the furthest. */
function changesText(changes: readonly JudgedChange[]): string {
  if (changes.length === 0) return '';
  const verdicts = groupBy(changes, ({ said }) => said.verdict).map((own) => `${own.length} ${own[0]?.said.verdict}`);
  const distance = ({ said }: JudgedChange): number => Math.abs(Math.log1p((said.deltaPercent ?? 0) / 100));
  const wrong = changes.find(({ outcome, isFalseAlarm }) => outcome === 'misses' || isFalseAlarm);
  const [furthest] = [...changes].sort((one, other) => distance(other) - distance(one));
  return `${verdicts.join(', ')}, ${wrong ? '' : 'furthest '}${changeText(wrong ?? furthest)}`;
}

/** `-18.2 ±0.4: -7.1 [-11.0, -3.0] lower MISSES` */
function changeText(change: JudgedChange | undefined): string {
  if (change === undefined) return '';
  const { truthPercent, errorPercent, said, outcome } = change;
  const about = errorPercent > 0 ? ` ±${(2 * errorPercent).toFixed(1)}` : '';
  return `${signed(truthPercent)}${about}: ${saidText(said)}${outcome === 'misses' ? ' **misses**' : outcome === 'truth unknown' ? ' (truth not known closely)' : ''}${flawText(change)}`;
}

function saidText({ deltaPercent, interval, verdict, notes }: JudgedChange['said']): string {
  if (deltaPercent === null || interval === null) return `not known${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
  return `${signed(deltaPercent)} [${interval.map(signed).join(', ')}] ${verdict}`;
}

function flawText({ isFalseSame, isWrongSign, isFalseAlarm }: JudgedChange): string {
  const flaws = [isFalseSame && 'false same', isWrongSign && 'wrong sign', isFalseAlarm && 'false alarm'];
  return flaws
    .filter((flaw) => flaw !== false)
    .map((flaw) => ` **${flaw}**`)
    .join('');
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
}

/** The counts of all plantings. */
export interface Counts {
  /** Changes with an interval and a truth. */
  readonly claims: number;
  readonly holds: number;
  readonly unknown: number;
  /** Changes whose truth is not known closely enough: neither right nor wrong. */
  readonly unmeasured: number;
  readonly falseSame: number;
  /** Changes that say `same`. */
  readonly same: number;
  readonly wrongSigns: number;
  readonly falseAlarms: number;
  readonly values: number;
  readonly valuesHold: number;
}

/** Counts what holds and what does not. */
export function countsOf(all: readonly Measured[]): Counts {
  const changes = all.flatMap(({ planting, finished }) => judgeChanges(planting, finished));
  const values = all.flatMap(({ planting, finished }) => judgeValues(planting, finished));
  const number = (holds: (change: JudgedChange) => boolean): number => changes.filter(holds).length;
  const holds = number(({ outcome }) => outcome === 'holds');
  return {
    claims: holds + number(({ outcome }) => outcome === 'misses'),
    holds,
    unknown: number(({ outcome }) => outcome === 'cannot know'),
    unmeasured: number(({ outcome }) => outcome === 'truth unknown'),
    falseSame: number(({ isFalseSame }) => isFalseSame),
    same: number(({ said }) => said.verdict === 'same'),
    wrongSigns: number(({ isWrongSign }) => isWrongSign),
    falseAlarms: number(({ isFalseAlarm }) => isFalseAlarm),
    values: values.length,
    valuesHold: values.filter(({ holds }) => holds).length,
  };
}

function summaryLine(all: readonly Measured[]): string {
  const counts = countsOf(all);
  const lines = [
    `${counts.holds} of ${counts.claims} planted comparisons hold, ${counts.falseSame} of ${counts.same} \`same\` are false,`,
    `${counts.wrongSigns} wrong signs, ${counts.falseAlarms} false alarms where nothing differs.`,
    `Of ${counts.unknown} more the bench says that it cannot know; of ${counts.unmeasured} the truth is not known closely enough.`,
    `${counts.valuesHold} of ${counts.values} values of single arms hold.`,
  ];
  return lines.join(' ');
}
