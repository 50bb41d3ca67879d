import {
  type HousekeepingWork,
  isWithoutAutovacuum,
  LEAST_HOUSEKEEPING,
  workBetween,
} from '../../../journal/postgres/housekeeping.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { JudgementNote } from '../../notes.ts';
import type { ArmCell, RunData } from '../../read/run-data.ts';
import type { Contrast } from '../contrasts.ts';
import type { Judgement } from '../judge.ts';

type Data = Pick<RunData, 'scenario' | 'housekeeping'>;

/**
 * A judgement without its verdict where the two sides differ by settings that show only in Postgres's own work, and some
 * arm of them had too little of it: the number is then that of the part of a cycle which the slices fell into.
 */
export function judgedWithHousekeeping(data: Data, contrast: Contrast, judgement: Judgement): Judgement {
  const note = tooFewOf(data, contrast);
  if (note === null || judgement.notes.some(({ kind }) => kind === 'quick')) return judgement;
  const notes = judgement.notes.filter(({ kind }) => kind !== 'rounds-needed');
  return { ...judgement, interval: null, verdict: 'noise', evidence: null, notes: [...notes, note] };
}

function tooFewOf({ scenario, housekeeping }: Data, { control, cell }: Contrast): JudgementNote | null {
  const { variants, stack } = scenario;
  const variantOf = (arm: ArmCell): Pick<Variant, 'treatment'> =>
    variants.find(({ name }) => name === arm.variant) ?? {};
  const [first = cell] = control;
  for (const work of workBetween(variantOf(first), variantOf(cell))) {
    const fewest = (arms: readonly ArmCell[]): number | null => {
      const due = arms.filter((arm) => work === 'checkpoints' || !isWithoutAutovacuum(variantOf(arm), stack.postgres));
      return due.length === 0 ? null : Math.min(...due.map((arm) => housekeeping(arm)?.[work] ?? 0));
    };
    const had = { variant: fewest([cell]), control: fewest(control) };
    if (isTooFew(had.variant) || isTooFew(had.control)) return noteOf(work, had);
  }
  return null;
}

function isTooFew(count: number | null): boolean {
  return count !== null && count < LEAST_HOUSEKEEPING;
}

function noteOf(work: HousekeepingWork, had: { variant: number | null; control: number | null }): JudgementNote {
  return { kind: 'little-housekeeping', work, needed: LEAST_HOUSEKEEPING, ...had };
}
