import { present } from '../../base/present.ts';
import { capacityLabel, limitLabel } from '../../journal/capacity/capacity-spec.ts';
import { axisUnit } from '../../journal/load-traits.ts';
import { rough } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import type { ArmCapacity, CapacitySummary } from '../../judge/verdicts/capacity/summarize-capacities.ts';
import { capacityWords, noSizeWords, sizeWords, valueWords } from '../words/capacity-words.ts';
import { armName, nameColumn } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, left, right, type Table, weights } from './table.ts';
import { type GridLayout, gridLayouts, type TwoWay } from './two-way.ts';

/** The load that each arm sustains, the control first. Null where that was not the question. */
export function capacityTable({ capacity, run }: Pick<Summary, 'capacity' | 'run'>): Table | null {
  if (capacity === null) return null;
  return {
    title: `How many ${axisUnit(capacity.of)} each variant sustains`,
    weight: weights.answer,
    columns: [
      nameColumn,
      left(axisUnit(capacity.of)),
      ...[`change against ${run.control}`, 'rounds', 'a round is off by'].map(right),
    ],
    rows: capacity.arms.map((arm) => [
      { text: armName(arm, { run }) },
      { text: capacityWords(arm, capacity) },
      changeCell(arm, capacity),
      { text: String(arm.rounds) },
      { text: arm.scatterPercent === null ? '' : `${rough(arm.scatterPercent)} %` },
    ]),
    notes: [
      `Asked for: ${capacityLabel(capacity)}. A variant sustains a load where it keeps every limit. ` +
        'The number is the limit between the last load that passes and the first that fails: the geometric mean of the rounds, each read off a curve through the levels around it, which all arms share. ' +
        'Its interval is at 95 %. Changes are judged as for any metric: all of them hold at once.',
      ...stepWords(capacity.arms, (arm) => armName(arm, { run })),
      ...hiddenWords(capacity.arms, (arm) => armName(arm, { run })),
    ],
  };
}

/** The arms whose metric jumps over its limit. */
function stepWords(arms: readonly ArmCapacity[], nameOf: (arm: ArmCapacity) => string): string[] {
  const steps = arms.filter(({ isStep }) => isStep).map(nameOf);
  if (steps.length === 0) return [];
  return [
    `The limit is a step of ${steps.join(', ')}: the interval runs from the last load that surely passes to the first that surely fails, and changes include what that hides.`,
  ];
}

/** How much of their time turns hide, of each arm where they do. */
function hiddenWords(arms: readonly ArmCapacity[], nameOf: (arm: ArmCapacity) => string): string[] {
  const hiding = arms.flatMap((arm) =>
    arm.hiddenPercent === null ? [] : [`${nameOf(arm)} ${rough(arm.hiddenPercent)} %`],
  );
  if (hiding.length === 0) return [];
  return [
    `Answers outlast turns, whose ends hide so much of their time: ${hiding.join(', ')}. No change is \`same\` there.`,
  ];
}

function changeCell({ variant, repeat }: ArmCapacity, { comparisons, repeat: ofControl }: CapacitySummary): Cell {
  const change = repeat ? ofControl : comparisons.find((one) => one.variant === variant);
  if (change === undefined || change === null) return { text: '' };
  return change.deltaPercent === null ? { text: 'n/a', quiet: 'missing' } : deltaCell(change);
}

/** Measurements of each arm at each load: the evidence. None where capacities were not the question. */
export function evidenceTables({ capacity, run }: Pick<Summary, 'capacity' | 'run'>): Table[] {
  if (capacity === null) return [];
  const { until } = capacity;
  return capacity.arms.map((arm) => ({
    title: armName(arm, { run }),
    weight: weights.workAverages,
    columns: [...[axisUnit(capacity.of), 'slices'], ...until.map(limitLabel)].map(right),
    rows: arm.evidence.map(({ load, slices, generatorBusy, machineBusy, known, values }) => [
      { text: String(load) },
      { text: `${slices}${busyWords('generator', generatorBusy - machineBusy)}${busyWords('machine', machineBusy)}` },
      ...until.map(({ metric, most }): Cell => {
        const value = values[metric] ?? null;
        return {
          text: valueWords(metric, value, known[metric]),
          ...(value !== null && { tone: value > most ? ('bad' as const) : ('good' as const) }),
        };
      }),
    ]),
    notes: [],
  }));
}

function busyWords(what: string, slices: number): string {
  return slices === 0 ? '' : `, ${what} busy in ${slices}`;
}

/**
 * The load that each variant of a grid sustains, the first two factors as rows and columns: `Supported users` of
 * reports that compare releases. Empty where that was not the question, or fewer than two things vary.
 */
export function capacityTwoWays({ capacity, run }: Pick<Summary, 'capacity' | 'run'>): TwoWay[] {
  if (capacity === null) return [];
  return gridLayouts({ run }).map((layout) => ({
    ...layout,
    title: present([`Supported ${axisUnit(capacity.of)} by ${layout.factors}`, layout.others]).join(': '),
    ...capacityCells(capacity, layout, run.control),
    write: sizeWords,
    notes: [],
  }));
}

/** The load that a variant sustains; in words where no number is known. The control's is of both its arms, or of none. */
export function sizeOrWords(capacity: CapacitySummary, variant: string, control: string): number | string | null {
  const { arms, comparisons } = capacity;
  const own = arms.filter((one) => one.variant === variant);
  const arm = own.find(({ repeat }) => !repeat);
  if (arm === undefined) return null;
  if (arm.supports === null) return noSizeWords(arm, capacity);
  if (variant !== control) return arm.supports;
  // An arm without a number may sustain more than the other, or less.
  if (own.some(({ supports }) => supports === null)) return 'n/a';
  return comparisons.find((one) => one.control !== null)?.control ?? arm.supports;
}

/** A cell is judged where it was compared with the control. */
function capacityCells(
  capacity: CapacitySummary,
  { variantAt }: GridLayout,
  control: string,
): Pick<TwoWay, 'value' | 'judged'> {
  const { comparisons } = capacity;
  return {
    value(place) {
      const variant = variantAt(place);
      return variant === null ? null : sizeOrWords(capacity, variant, control);
    },
    judged(from, to) {
      if (variantAt(from) !== control) return null;
      const variant = variantAt(to);
      const change = comparisons.find((one) => one.variant === variant);
      return change === undefined || change.deltaPercent === null ? null : deltaCell(change);
    },
  };
}
