import { PgsweepError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { shortened } from '../../base/visible.ts';
import type { JournalSoFar } from '../../journal/journal.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { judgedRun } from './judged-run.ts';

/** This many characters of names are shown. */
const MOST_CHARACTERS = 300;

/**
 * A run as if another of its variants were the control. The planned control keeps its two arms: the first is then that of
 * a variant, and both are A/A. The new control has the one arm that it had. Throws PgsweepError `usage` where the run has
 * no such variant.
 */
export function withControl<One extends JournalSoFar>(journal: One, control: string): One {
  const { scenario } = journal.run;
  const names = judgedRun(journal).run.scenario.variants.map(({ name }) => name);
  if (!names.includes(control)) {
    throw new PgsweepError('usage', `no variant of this run is named "${control}"${didYouMean(control, names)}`, {
      hint: `--control takes one of its variants: ${shortened(names.join('; '), MOST_CHARACTERS)}.`,
    });
  }
  if (control === scenario.control) return journal;
  const judged = { ...scenario, control, plannedControl: scenario.control };
  return { ...journal, run: { ...journal.run, scenario: judged } };
}

/** The variant with two arms in every round: the control that the run was planned with. */
export function doubledVariant({
  control,
  plannedControl,
}: Pick<ResolvedScenario, 'control' | 'plannedControl'>): string {
  return plannedControl ?? control;
}
