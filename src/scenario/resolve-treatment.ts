import type { ResolvedScenario, Target, Treatment, TreatmentSql } from '../journal/scenario-record.ts';
import { createIndexMistake } from '../treatment/create-index.ts';
import { settingMistakes } from '../treatment/setting-mistake.ts';
import { textEnv, withoutUndefined } from './checks.ts';
import type { Path, Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';

type VariantDocument = NonNullable<NonNullable<ScenarioDocument['variants']>[string]>;

/** The keys of a variant that change its database. */
export const treatmentKeys = ['postgres', 'settings', 'dropIndex', 'createIndex', 'hideIndex', 'sql'] as const;

/** What a variant changes in its database, or undefined where nothing. */
export function resolveTreatment(variant: VariantDocument, path: Path, problems: Problem[]): Treatment | undefined {
  const treatment: Treatment = {
    settings: textEnv(variant.settings),
    dropIndex: listOf(variant.dropIndex),
    createIndex: listOf(variant.createIndex),
    hideIndex: listOf(variant.hideIndex),
    sql: listOf(variant.sql).map((one): TreatmentSql => {
      if (typeof one === 'string') return { apply: one };
      const { apply, undo } = one;
      return { apply, ...(undo !== undefined && { undo }) };
    }),
    ...releaseOf(variant),
  };
  treatment.createIndex.forEach((statement, index) => {
    const mistake = createIndexMistake(statement);
    const at = Array.isArray(variant.createIndex) ? ['createIndex', index] : ['createIndex'];
    if (mistake !== null)
      problems.push({ path: [...path, ...at], message: `${path.join('.')}.createIndex: ${mistake}` });
  });
  for (const name of treatment.hideIndex) {
    if (treatment.dropIndex.includes(name))
      problems.push({
        path,
        key: 'hideIndex',
        message: `${path.join('.')}: ${name} cannot be both dropped and hidden: expected one of dropIndex, hideIndex`,
      });
  }
  const changes = [treatment.dropIndex, treatment.createIndex, treatment.hideIndex, treatment.sql];
  const isEmpty =
    treatment.postgres === undefined &&
    Object.keys(treatment.settings).length === 0 &&
    changes.every(({ length }) => length === 0);
  return isEmpty ? undefined : treatment;
}

function releaseOf({ postgres }: VariantDocument): Pick<Treatment, 'postgres'> {
  if (postgres === undefined || Object.keys(postgres).length === 0) return {};
  const { version, ...rest } = postgres;
  return { postgres: withoutUndefined({ ...rest, version: version === undefined ? undefined : String(version) }) };
}

/** Settings that the servers do not have, by the versions that the scenario names, and those that cannot vary. */
export function settingsAgainstServers(
  document: ScenarioDocument,
  resolved: Pick<ResolvedScenario, 'stack' | 'variants'>,
): Problem[] {
  const problems = settingMistakes(resolved, ({ version, image }) =>
    image === undefined ? (version ?? null) : null,
  ).map(({ variant, setting, message }) => ({ ...placeOf(document, variant, setting), message }));
  // All variants of a grid have the setting of a factor.
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.path, problem.key]), problem])).values()];
}

/** Where a setting of a variant stands, or of the stack. */
function placeOf(
  { sweep = {} }: ScenarioDocument,
  variant: string | null,
  setting: string,
): Pick<Problem, 'path' | 'key'> {
  if (variant === null) return { path: ['stack', 'postgres', 'settings'], key: setting };
  const [factor] = Object.entries(sweep).find(([, each]) => each.setting === setting) ?? [];
  return factor === undefined
    ? { path: ['variants', variant, 'settings'], key: setting }
    : { path: ['sweep', factor, 'setting'] };
}

/** What every connection of the document service sets for itself (src/sample/service/pool.ts), over what its database says. */
export const settingsOfService = ['enable_seqscan', 'enable_bitmapscan', 'jit'];

/** Settings that would have no effect, since the service under test sets them itself. */
export function settingsAgainstTarget(document: ScenarioDocument, target: Target): Problem[] {
  if (target.kind !== 'service') return [];
  const ofVariants = Object.entries(document.variants ?? {}).flatMap(([name, variant]) =>
    Object.keys(variant?.settings ?? {}).map((key) => ({ path: ['variants', name, 'settings'], key })),
  );
  const ofFactors = Object.entries(document.sweep ?? {}).flatMap(([name, { setting }]) =>
    setting === undefined ? [] : [{ path: ['sweep', name, 'setting'], key: setting }],
  );
  return [...ofVariants, ...ofFactors]
    .filter(({ key }) => settingsOfService.includes(key.toLowerCase()))
    .map(({ path, key }) => ({
      path,
      key,
      message: `the setting ${key} cannot vary with the document service: its own connections set it`,
    }));
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
