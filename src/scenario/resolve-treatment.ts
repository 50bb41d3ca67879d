import { isSetBySample, sampleService } from '../journal/sample.ts';
import type { ResolvedScenario, Target, Treatment } from '../journal/scenario-record.ts';
import { readTreatment, type WrittenTreatment } from '../measure/treatment/kinds.ts';
import { settingMistakes } from '../measure/treatment/setting-mistake.ts';
import type { Path, Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';

/** Changes of a variant in its database; undefined if there are none. */
export function resolveTreatment(variant: WrittenTreatment, path: Path, problems: Problem[]): Treatment | undefined {
  const { treatment, mistakes } = readTreatment(variant);
  for (const { at, key, message } of mistakes) {
    const place = [...path, ...at.slice(0, 1)].join('.');
    problems.push({ path: [...path, ...at], ...(key !== undefined && { key }), message: `${place}: ${message}` });
  }
  return treatment;
}

/** Settings that the servers do not have, by the versions that the scenario names, and those that cannot vary. */
export function settingsAgainstServers(
  document: ScenarioDocument,
  resolved: Pick<ResolvedScenario, 'stack' | 'variants'>,
): Problem[] {
  const problems = settingMistakes(resolved, ({ version, image }) =>
    image === undefined ? (version ?? null) : null,
  ).map(({ variant, setting, message }) => ({ ...settingPlace(document, variant, setting), message }));
  // All variants of a grid have the setting of a factor.
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.path, problem.key]), problem])).values()];
}

/** Where a setting of a variant stands, or of the stack. */
function settingPlace(
  { sweep, tune }: ScenarioDocument,
  variant: string | null,
  setting: string,
): Pick<Problem, 'path' | 'key'> {
  if (variant === null) return { path: ['stack', 'postgres', 'settings'], key: setting };
  const factors = Object.entries({ ...sweep, ...tune });
  const [factor] = factors.find(([, each]) => each.setting === setting) ?? [];
  return factor === undefined
    ? { path: ['variants', variant, 'settings'], key: setting }
    : { path: [tune === undefined ? 'sweep' : 'tune', factor, 'setting'] };
}

/** Settings that would have no effect, since the service under test sets them itself. */
export function settingsAgainstTarget(document: ScenarioDocument, target: Target): Problem[] {
  if (target.kind !== 'service') return [];
  const ofVariants = Object.entries(document.variants ?? {}).flatMap(([name, variant]) =>
    Object.keys(variant.settings ?? {}).map((key) => ({ path: ['variants', name, 'settings'], key })),
  );
  const ofFactors = (['sweep', 'tune'] as const).flatMap((key) =>
    Object.entries(document[key] ?? {}).flatMap(([name, { setting }]) =>
      setting === undefined ? [] : [{ path: [key, name, 'setting'], key: setting }],
    ),
  );
  return [...ofVariants, ...ofFactors]
    .filter(({ key }) => isSetBySample(key))
    .map(({ path, key }) => ({
      path,
      key,
      message: `the setting ${key} cannot vary with ${sampleService.title}: its own connections set it`,
    }));
}
