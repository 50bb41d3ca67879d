import { axisUnit } from '../../journal/load-traits.ts';
import type { Summary } from '../../judge/summary.ts';
import { capacityTwoWays } from '../tables/capacity-tables.ts';
import { left, right, type Table, textCells } from '../tables/table.ts';
import { noSizeWords, sizeWords } from '../words/capacity-words.ts';
import { classicName } from './classic-rows.ts';
import { changePercent, NO_INTERVALS, percentText } from './numbers.ts';

/** `Supported users` of each variant, with its change in percent. None where that was not the question, or a two-way table has it. */
export function classicCapacity(summary: Summary): Table[] {
  const { capacity, run } = summary;
  if (capacity === null || capacityTwoWays({ capacity, run }).length > 0) return [];
  const { arms, comparisons } = capacity;
  // The control's number is of both its arms.
  const own = arms.find(({ variant, repeat }) => variant === run.control && !repeat)?.supports ?? null;
  const control = comparisons.find((one) => one.control !== null)?.control ?? own;
  return [
    {
      title: `Supported ${axisUnit(capacity.of)} ${NO_INTERVALS}`,
      columns: [left(''), right(axisUnit(capacity.of)), right(`Change against ${classicName(summary, run.control)}`)],
      rows: arms.flatMap((arm) => {
        const { variant, repeat } = arm;
        if (repeat) return [];
        const isControl = variant === run.control;
        const size = isControl ? control : arm.supports;
        const text = size === null ? noSizeWords(arm, capacity) : sizeWords(size);
        return [
          textCells([classicName(summary, variant), text, isControl ? '' : percentText(changePercent(control, size))]),
        ];
      }),
      notes: [],
    },
  ];
}
