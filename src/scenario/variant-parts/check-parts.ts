import type { Target, Variant } from '../../journal/scenario-record.ts';
import type { Path, Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';
import { partMistakes, partOfFactor, placeForAll, type WrittenParts } from './parts.ts';

/** Mistakes in the parts of variants, each once, at the place where it was asked for. */
export function partProblems(document: ScenarioDocument, variants: readonly Variant[], target: Target): Problem[] {
  const problems = variants.flatMap((variant) =>
    partMistakes(variant, target).map(([part, mistake]): Problem => {
      const path = pathToPart(document, variant, part);
      return { path, message: `${path.join('.')}: ${mistake}` };
    }),
  );
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function pathToPart(
  { sweep = {}, variants = {} }: ScenarioDocument,
  { name }: Variant,
  part: keyof WrittenParts,
): Path {
  const [factor] = Object.entries(sweep).find(([, each]) => partOfFactor(each) === part) ?? [];
  if (factor !== undefined) return ['sweep', factor];
  return variants[name]?.[part] === undefined ? placeForAll(part) : ['variants', name, part];
}
