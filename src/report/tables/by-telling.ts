import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Summary } from '../../judge/summary.ts';
import { judgedOf, rank } from '../words/judged.ts';

/** The places of rows that are arms under a load level: the control's first, then by what the metric that the run is about tells. */
export function byTelling(rows: readonly { readonly variant: string }[], summary: Summary, load: LoadLevel): number[] {
  const ranks = new Map(
    underLoad(summary.comparisons, load)
      .filter(({ metric }) => metric === judgedOf(summary.run).name)
      .map((one) => [one.variant, rank(one)]),
  );
  const rankAt = (place: number): number => ranks.get(rows[place]?.variant ?? '') ?? -Number.MAX_VALUE;
  return rows.map((_, place) => place).sort((a, b) => rankAt(a) - rankAt(b) || a - b);
}
