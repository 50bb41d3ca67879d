import { nearest } from '../base/nearest.ts';
import type { Target, Treatment, TreatmentSql } from '../journal/scenario-record.ts';
import { createIndexMistake } from '../treatment/create-index.ts';
import { placeOfSetting, settableNames } from '../treatment/setting-names.ts';
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
  for (const name of Object.keys(treatment.settings)) {
    const message = settingMistake(name);
    if (message !== null) problems.push({ path: [...path, 'settings'], key: name, message });
  }
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

/** What is wrong with the name of a setting that a variant or a factor sets; null where nothing is. */
export function settingMistake(name: string): string | null {
  const place = placeOfSetting(name);
  if (place === 'nobody') {
    return `the setting ${name} cannot vary: Postgres itself, the bench, or each connection sets it`;
  }
  if (place !== null) return null;
  const near = nearest(name, settableNames());
  return `unknown setting "${name}": expected a setting of Postgres 13 to 18${near === null ? '' : ` (did you mean "${near}"?)`}`;
}

/** What every connection of the document service sets for itself (src/service/pool.ts), over what its database says. */
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
