import { axisUnit } from '../../journal/load-traits.ts';
import type { Summary } from '../../judge/summary.ts';
import { capacityTwoWays, sizeOrWords } from '../tables/capacity-tables.ts';
import { left, right, type Table, textCells } from '../tables/table.ts';
import { sizeWords } from '../words/capacity-words.ts';
import { classicName } from './classic-rows.ts';
import { changePercent, NO_INTERVALS, percentText } from './numbers.ts';

/** `Supported users` of each variant, with its change in percent. None where that was not the question, or a two-way table has it. */
export function classicCapacity(summary: Summary): Table[] {
  const { capacity, run } = summary;
  if (capacity === null || capacityTwoWays({ capacity, run }).length > 0) return [];
  const sizeOf = (variant: string) => sizeOrWords(capacity, variant, run.control);
  const numberOf = (size: number | string | null): number | null => (typeof size === 'number' ? size : null);
  const control = numberOf(sizeOf(run.control));
  return [
    {
      title: `Supported ${axisUnit(capacity.of)} ${NO_INTERVALS}`,
      columns: [left(''), right(axisUnit(capacity.of)), right(`Change against ${classicName(summary, run.control)}`)],
      rows: capacity.arms.flatMap(({ variant, repeat }) => {
        if (repeat) return [];
        const size = sizeOf(variant);
        const text = typeof size === 'number' ? sizeWords(size) : (size ?? '');
        const change = variant === run.control ? '' : percentText(changePercent(control, numberOf(size)));
        return [textCells([classicName(summary, variant), text, change])];
      }),
      notes: [],
    },
  ];
}
