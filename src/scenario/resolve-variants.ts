import { resolve } from 'node:path';
import { didYouMean } from '../base/nearest.ts';
import { withoutUndefined } from '../base/schema-values.ts';
import { gridName } from '../journal/run/grid-name.ts';
import type { FactorValue, ResolvedScenario, Variant } from '../journal/scenario-record.ts';
import { readTreatment } from '../measure/treatment/kinds.ts';
import { oneOf, requireDistinct, requireFolder, requireOwnTargets } from './checks.ts';
import { resolveJobSource } from './load/job-source.ts';
import type { Problem } from './problems.ts';
import { resolveChanges } from './resolve-services.ts';
import { resolveTreatment } from './resolve-treatment.ts';
import type { ScenarioDocument } from './schema.ts';
import { resolveTune } from './tune/resolve-tune.ts';
import { levelsKeyOf, levelsOf, partFactorKeys, partsForAll, partsOfLevel, withParts } from './variant-parts/parts.ts';

/** More variants than this cannot be measured in one run. */
const MOST_VARIANTS = 200;

export interface ResolvedVariants extends Pick<ResolvedScenario, 'tune' | 'slots'> {
  readonly variants: readonly Variant[];
  readonly control: string;
  readonly problems: readonly Problem[];
}

/** The variants of a grid or of named variants, and which of them is the control; of a search the control alone. */
export function resolveVariants(document: ScenarioDocument, folder: string): ResolvedVariants {
  if (document.tune !== undefined) return tuned(document, document.tune);
  if ((document.sweep === undefined) === (document.variants === undefined)) {
    const message = 'expected either sweep (a grid) or variants (by name), one of the two';
    return { variants: [], control: '', problems: [{ path: [], ...(document.sweep && { key: 'sweep' }), message }] };
  }
  return document.sweep === undefined ? named(document, folder) : grid(document, document.sweep);
}

function tuned(document: ScenarioDocument, tune: NonNullable<ScenarioDocument['tune']>): ResolvedVariants {
  const other = (['against', 'sweep', 'variants'] as const).find((key) => document[key] !== undefined);
  const { variants, problems, ...resolved } = resolveTune(tune, document.control);
  const mistakes = [
    ...(other === undefined ? [] : [{ path: [], key: other, message: `expected either tune or ${other}, not both` }]),
    ...(document.load.capacity === undefined
      ? []
      : [{ path: ['load'], key: 'capacity', message: 'tune: expected load levels, such as load.connections' }]),
  ];
  return {
    ...resolved,
    variants: withParts(variants, () => [partsForAll(document)]),
    problems: [...problems, ...mistakes],
  };
}

function grid(document: ScenarioDocument, sweep: NonNullable<ScenarioDocument['sweep']>): ResolvedVariants {
  const factors = Object.entries(sweep);
  const problems: Problem[] = [];
  for (const [name, factor] of factors) {
    const [levels, key] = [levelsOf(factor), levelsKeyOf(factor)];
    const path = ['sweep', name];
    oneOf(factor, ['env', 'setting', ...partFactorKeys], path, problems);
    if (levels.length === 0) problems.push({ path, message: `sweep.${name}.levels is missing: expected array` });
    if (key !== 'levels' && factor.levels !== undefined)
      problems.push({ path, key: 'levels', message: `sweep.${name}: expected one of levels, ${key}, not both` });
    requireDistinct(levels, [...path, key], problems);
  }
  // Those of a part that say how their levels are set, as live does, are joined.
  const setters = factors.map(([name, factor]) => {
    return {
      name,
      env: factor.env,
      setting: factor.setting,
      other: partFactorKeys.find((key) => Array.isArray(factor[key])),
    };
  });
  requireOwnTargets('sweep', setters, problems);
  if (factors.length === 0)
    problems.push({
      path: ['sweep'],
      message: 'sweep has no factor: expected at least one, such as pool: { env: POOL_MAX, levels: [10, 25] }',
    });

  const count = factors.reduce((product, [, factor]) => product * levelsOf(factor).length, 1);
  if (count > MOST_VARIANTS) {
    const shown = count.toLocaleString('en-US');
    problems.push({ path: ['sweep'], message: `sweep makes ${shown} variants: expected at most ${MOST_VARIANTS}` });
    return { variants: [], control: '', problems };
  }
  const combinations = factors.reduce<Record<string, FactorValue>[]>(
    (rows, [name, factor]) => rows.flatMap((row) => levelsOf(factor).map((level) => ({ ...row, [name]: level }))),
    [{}],
  );
  const variants = withParts(
    combinations.map((values) => variantOfGrid(values, factors)),
    ({ factors: values }) => [
      partsForAll(document),
      ...factors.map(([name, factor]) => partsOfLevel(factor, values[name] ?? '')),
    ],
  );
  return { variants, ...controlOfGrid(document.control, sweep, problems) };
}

type Factor = NonNullable<ScenarioDocument['sweep']>[string];

function variantOfGrid(
  values: Readonly<Record<string, FactorValue>>,
  factors: readonly [name: string, factor: Factor][],
): Variant {
  const setBy = (kind: 'env' | 'setting'): Record<string, string> =>
    Object.fromEntries(
      factors.flatMap(([name, factor]) => {
        const variable = factor[kind];
        return variable === undefined ? [] : [[variable, String(values[name])]];
      }),
    );
  const { treatment } = readTreatment({ settings: setBy('setting') });
  return withoutUndefined({ name: gridName(values), factors: values, env: setBy('env'), treatment });
}

function controlOfGrid(
  control: ScenarioDocument['control'],
  sweep: NonNullable<ScenarioDocument['sweep']>,
  problems: Problem[],
): { control: string; problems: readonly Problem[] } {
  const names = Object.keys(sweep);
  if (typeof control === 'string') {
    const message = `control: expected a level of each factor, such as { ${names.map((name) => `${name}: ${levelsOf(sweep[name] ?? {})[0]}`).join(', ')} }`;
    return { control: '', problems: [...problems, { path: ['control'], message }] };
  }
  for (const name of Object.keys(control)) {
    if (names.includes(name)) continue;
    problems.push({
      path: ['control'],
      key: name,
      message: `control: no factor "${name}": expected ${names.join(', ')}${didYouMean(name, names)}`,
    });
  }
  const values: Record<string, FactorValue> = {};
  for (const [name, factor] of Object.entries(sweep)) {
    const levels = levelsOf(factor);
    const value = Object.hasOwn(control, name) ? control[name] : undefined;
    const level = levels.find((candidate) => String(candidate) === String(value));
    if (value === undefined)
      problems.push({
        path: ['control'],
        message: `control: no level for ${name}: expected one of ${levels.join(', ')}`,
      });
    else if (level === undefined) {
      problems.push({
        path: ['control', name],
        message: `control is not a variant: ${name} has no level ${value}: expected one of ${levels.join(', ')}`,
      });
    } else values[name] = level;
  }
  return { control: gridName(values), problems };
}

function named(document: ScenarioDocument, folder: string): ResolvedVariants {
  const entries = Object.entries(document.variants ?? {});
  const problems: Problem[] = [];
  if (entries.length > MOST_VARIANTS) {
    const message = `${entries.length} variants: expected at most ${MOST_VARIANTS}`;
    return { variants: [], control: '', problems: [{ path: ['variants'], message }] };
  }
  const plain = entries.map(([name, settings]): Variant => {
    const { env = {}, command, cwd, url, services, job, factors = {} } = settings;
    const treatment = resolveTreatment(settings, ['variants', name], problems);
    if (cwd !== undefined) requireFolder(resolve(folder, cwd), ['variants', name, 'cwd'], problems);
    return {
      name,
      factors,
      env,
      ...(command !== undefined && { command }),
      ...(cwd !== undefined && { cwd: resolve(folder, cwd) }),
      ...(url !== undefined && { url }),
      ...(job !== undefined && { job: resolveJobSource(job, folder, ['variants', name, 'job'], problems) }),
      ...(services !== undefined && { services: resolveChanges(services, name, { folder }, problems) }),
      ...(treatment !== undefined && { treatment }),
    };
  });
  const variants = withParts(plain, ({ name }) => [partsForAll(document), document.variants?.[name] ?? {}]);
  problems.push(...factorProblems(variants));
  const names = entries.map(([name]) => name);
  if (names.length === 0)
    problems.push({ path: ['variants'], message: 'variants is empty: expected the control and at least one other' });
  const { control } = document;
  if (typeof control !== 'string') {
    problems.push({
      path: ['control'],
      message: `control: expected the name of a variant: one of ${names.join(', ')}`,
    });
  } else if (!names.includes(control)) {
    problems.push({
      path: ['control'],
      message: `control "${control}" is not a variant: expected one of ${names.join(', ')}${didYouMean(control, names)}`,
    });
  }
  return { variants, control: typeof control === 'string' ? control : '', problems };
}

/** Named variants that have factors have the same ones, each another combination of levels. */
function factorProblems(variants: readonly Variant[]): Problem[] {
  const first = variants.find(({ factors }) => Object.keys(factors).length > 0);
  if (first === undefined) return [];
  const names = Object.keys(first.factors);
  const seen = new Map<string, string>();
  return variants.flatMap(({ name, factors }): Problem[] => {
    const path = ['variants', name, 'factors'];
    const levels = gridName(Object.fromEntries(names.map((factor) => [factor, factors[factor] ?? ''])));
    const isSame = Object.keys(factors).length === names.length && names.every((one) => Object.hasOwn(factors, one));
    if (!isSame)
      return [{ path, message: `${path.join('.')}: expected a level of ${names.join(', ')}, as "${first.name}" has` }];
    const other = seen.get(levels);
    seen.set(levels, name);
    return other === undefined
      ? []
      : [{ path, message: `${path.join('.')}: "${other}" has the same levels (${levels})` }];
  });
}
