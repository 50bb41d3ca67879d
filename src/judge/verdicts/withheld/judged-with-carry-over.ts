import { loadKey } from '../../../journal/load-level.ts';
import { isCertain } from '../../read/rounds/carry-over.ts';
import type { RunData } from '../../read/run-data.ts';
import type { Contrast } from '../contrasts.ts';
import type { Judgement, Rules } from '../judge.ts';

/**
 * A judgement without the verdict that would not stand if the change were off, either way, by what carries over
 * from turn to turn. Only what is certain counts, and only of settings that are switched live is anything known.
 */
export function judgedWithCarryOver(
  data: Pick<RunData, 'live'>,
  contrast: Contrast,
  judgement: Judgement,
  { marginPercent }: Pick<Rules, 'marginPercent'>,
): Judgement {
  const percent = certainCarryOver(data, contrast);
  const { verdict, interval, notes } = judgement;
  if (interval === null || percent === 0) return judgement;
  const [low, high] = [interval[0] - percent, interval[1] + percent];
  const stands = {
    higher: low > 0,
    lower: high < 0,
    same: Math.max(-low, high) <= marginPercent,
    noise: true,
    unfit: true,
  }[verdict];
  return stands ? judgement : { ...judgement, verdict: 'unfit', notes: [...notes, { kind: 'carry-over', percent }] };
}

/** By how many percent a change may be off, either way, by what carries over from turn to turn and is certain. */
export function certainCarryOver({ live }: Pick<RunData, 'live'>, { control, cell }: Contrast): number {
  const level = live.find(({ load }) => loadKey(load) === loadKey(cell.load));
  const sides = new Set([...control, cell].map(({ variant }) => variant));
  const seen = (level?.carryOver ?? []).filter((one) => sides.has(one.variant) && isCertain(one));
  return seen.reduce((sum, one) => sum + Math.abs(one.percent), 0);
}
