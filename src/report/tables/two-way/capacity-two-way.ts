import { present } from '../../../base/present.ts';
import { axisUnit } from '../../../journal/load-traits.ts';
import type { Summary } from '../../../judge/summary.ts';
import type { CapacitySummary } from '../../../judge/verdicts/capacity/summarize-capacities.ts';
import { noSizeWords, sizeWords } from '../../words/capacity-words.ts';
import { deltaCell } from '../delta-cell.ts';
import type { TwoWay } from './two-way.ts';
import { type GridLayout, gridLayouts } from './two-way-grid.ts';

/**
 * How much load each variant of a grid bears, the first two factors as rows and columns: `Supported users` of reports that
 * compare releases. Empty where that was not the question, or fewer than two things vary.
 */
export function capacityTwoWays({ capacity, run }: Pick<Summary, 'capacity' | 'run'>): TwoWay[] {
  if (capacity === null) return [];
  return gridLayouts({ run }).map((layout) => ({
    ...layout,
    title: present([`Supported ${axisUnit(capacity.of)} by ${layout.factors}`, layout.others]).join(': '),
    ...cellsOf(capacity, layout, run.control),
    write: sizeWords,
    notes: [],
  }));
}

/** The control's number is that of both its arms. Judged is what was compared with the control. */
function cellsOf(
  capacity: CapacitySummary,
  { variantAt }: GridLayout,
  control: string,
): Pick<TwoWay, 'value' | 'judged'> {
  const { arms, comparisons } = capacity;
  const ofControl = comparisons.find((one) => one.control !== null)?.control;
  return {
    value(place) {
      const variant = variantAt(place);
      const arm = arms.find((one) => one.variant === variant && !one.repeat);
      if (arm === undefined) return null;
      if (arm.supports === null) return noSizeWords(arm, capacity);
      return variant === control ? (ofControl ?? arm.supports) : arm.supports;
    },
    judged(from, to) {
      if (variantAt(from) !== control) return null;
      const variant = variantAt(to);
      const change = comparisons.find((one) => one.variant === variant);
      return change === undefined || change.deltaPercent === null ? null : deltaCell(change);
    },
  };
}
