import type { Summary } from '../../judge/summary.ts';
import { measure } from './commands.ts';
import { lostVariants } from './lost.ts';
import { voidRemedies } from './remedies.ts';
import { someNames } from './short-name.ts';

/** This many variants are named. */
const MOST_NAMED = 3;

/** The step that helps variants without a slice that counts: more rounds, or a calmer machine, bring them no number. */
export function afterLost(summary: Summary): { readonly text: string; readonly command: string }[] {
  const { run } = summary;
  const lost = lostVariants(summary);
  const [remedy] = lost.flatMap((one) => voidRemedies(one).slice(0, 1));
  if (remedy === undefined) return [];
  const names = someNames(
    lost.map(({ variant }) => variant),
    MOST_NAMED,
  );
  const command = `${measure(run.scenarioFile, run.against)}${run.quick ? ' --quick' : ''}`;
  return [{ text: `${names}: ${remedy} Then measure again`, command }];
}
