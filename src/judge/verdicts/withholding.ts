import type { JudgementNote } from '../notes.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import type { Contrast } from './contrasts.ts';
import type { Judgement, Rules } from './judge.ts';

/** A comparison to be judged. */
export interface Question {
  readonly metric: Metric;
  readonly contrast: Contrast;
}

/** A finding of a rule against a judgement: another interval or verdict, and the note that says why. */
export interface Withheld extends Partial<Pick<Judgement, 'interval' | 'verdict' | 'evidence'>> {
  readonly note?: JudgementNote;
  /** More rounds would not help, or will not come. */
  readonly noRounds?: true;
}

/** Why a verdict may not stand, as far as a run can tell. Null: nothing is against it. */
export type WithholdingRule<Data = RunData> = (
  data: Data,
  rules: Pick<Rules, 'marginPercent'>,
) => (question: Question, judgement: Judgement) => Withheld | null;

/** Asks rules in their order: each sees what those before it have left. */
export function withheldBy<Data>(
  withholding: readonly WithholdingRule<Data>[],
  data: Data,
  rules: Pick<Rules, 'marginPercent'>,
): (question: Question, judgement: Judgement) => Judgement {
  const asked = withholding.map((rule) => rule(data, rules));
  return (question, judgement) =>
    asked.reduce((found, rule) => {
      const withheld = rule(question, found);
      return withheld === null ? found : without(found, withheld);
    }, judgement);
}

/** A judgement after what was found against it. */
export function without<One extends Judgement>(judgement: One, { note, noRounds, ...change }: Withheld): One {
  const notes = noRounds ? judgement.notes.filter(({ kind }) => kind !== 'rounds-needed') : judgement.notes;
  return { ...judgement, ...change, notes: note === undefined ? notes : [...notes, note] };
}
