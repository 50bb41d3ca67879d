import type { Target, Variant } from '../../journal/scenario-record.ts';
import type { Path, Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';
import { partMistakes, partOfFactor, type WrittenParts } from './parts.ts';

/** What is wrong with the parts of variants, each said once at the place where it was asked for. */
export function partProblems(document: ScenarioDocument, variants: readonly Variant[], target: Target): Problem[] {
  const problems = variants.flatMap((variant) =>
    partMistakes(variant, target).map(([part, mistake]): Problem => {
      const path = placeOf(document, variant, part);
      return { path, message: `${path.join('.')}: ${mistake}` };
    }),
  );
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function placeOf({ sweep = {}, variants = {} }: ScenarioDocument, { name }: Variant, part: keyof WrittenParts): Path {
  const [factor] = Object.entries(sweep).find(([, each]) => partOfFactor(each) === part) ?? [];
  if (factor !== undefined) return ['sweep', factor];
  return variants[name]?.[part] === undefined ? ['stack'] : ['variants', name, part];
}
