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
  if (variants[name]?.[part] !== undefined) return ['variants', name, part];
  return part === 'instances' ? ['target', part] : ['stack'];
}

/** A k6 script knows one address. */
export function instancesAgainstLoad({ load }: ScenarioDocument, variants: readonly Variant[]): Problem[] {
  const several = variants.find((variant) => (variant.instances ?? 1) > 1);
  if (load.k6 === undefined || several === undefined) return [];
  const message = `load.k6: k6 sends to one address, and "${several.name}" has ${several.instances} instances of the service: expected load by connections, users or rate, or a command that shares one port among its own processes (node:cluster, PM2)`;
  return [{ path: ['load'], key: 'k6', message }];
}
