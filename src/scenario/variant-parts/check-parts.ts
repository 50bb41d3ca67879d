import type { Target, Variant } from '../../journal/scenario-record.ts';
import type { Path, Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';
import { loadMistakes, partMistakes, partOfFactor, placeForAll, type WrittenParts } from './parts.ts';

/** Mistakes in the parts of variants, each once: at the place where it was asked for, or at a key of the load. */
export function partProblems(document: ScenarioDocument, variants: readonly Variant[], target: Target): Problem[] {
  const ofParts = variants.flatMap((variant) =>
    partMistakes(variant, target).map(([part, mistake]): Problem => {
      const path = placeOf(document, variant, part);
      return { path, message: `${path.join('.')}: ${mistake}` };
    }),
  );
  const ofLoad = variants.map((variant) => loadMistakes(variant, document.load)).find(({ length }) => length > 0) ?? [];
  const problems = [...ofParts, ...ofLoad.map((mistake): Problem => ({ path: ['load'], ...mistake }))];
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function placeOf({ sweep = {}, variants = {} }: ScenarioDocument, { name }: Variant, part: keyof WrittenParts): Path {
  const [factor] = Object.entries(sweep).find(([, each]) => partOfFactor(each) === part) ?? [];
  if (factor !== undefined) return ['sweep', factor];
  return variants[name]?.[part] === undefined ? placeForAll(part) : ['variants', name, part];
}
