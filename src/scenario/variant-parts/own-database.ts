import { withoutUndefined } from '../../base/schema-values.ts';
import { needsPostgres } from '../../journal/link/own-database.ts';
import type { Target, Variant } from '../../journal/scenario-record.ts';
import { treatmentKeys } from '../../measure/treatment/kinds.ts';
import type { Path, Problem } from '../problems.ts';
import type { ScenarioDocument, WrittenScenario } from '../schema.ts';
import { postgresFactorKeys, postgresKeysIn, postgresPartKeys } from './parts.ts';

const NONE = 'database: none has no Postgres of the bench';

/** The variants, each with what it or the target says of a database of the service's own. */
export function withDatabases({ target, variants = {} }: ScenarioDocument, all: readonly Variant[]): Variant[] {
  return all.map((variant) => {
    const own = Object.hasOwn(variants, variant.name) ? variants[variant.name] : null;
    const [database, reset] = [own?.database ?? target.database, own?.reset ?? target.reset];
    // What the stack says of the way to Postgres is for those that have one.
    const parts = Object.entries(variant).filter(([key]) => database === undefined || !postgresPartKeys.includes(key));
    return withoutUndefined({ ...(Object.fromEntries(parts) as unknown as Variant), database, reset });
  });
}

/** Keys of a scenario that need a Postgres that is not there, each with its place. */
export function databaseProblems(document: WrittenScenario, target: Target, variants: readonly Variant[]): Problem[] {
  if (target.kind === 'service' || target.kind === 'url') return [];
  const ofVariants = Object.entries(document.variants ?? {}).flatMap(([name, variant]) =>
    (variant.database ?? document.target.database) === undefined
      ? []
      : keysOf(variant, [...treatmentKeys, ...postgresPartKeys], ['variants', name]),
  );
  const ofFactors = document.target.database === undefined ? [] : keysOfFactors(document);
  // Variants that could not be read are said elsewhere.
  const ofAll =
    variants.length === 0 || needsPostgres({ target, variants })
      ? []
      : [
          ...keysIn(document, ['dataset'], []),
          ...keysIn(document.stack ?? {}, ['postgres', ...postgresPartKeys], ['stack']),
          ...keysIn(document.target, ['databaseUrlVariable'], ['target']),
          ...keysIn(document.load, ['transactionsPerRequest'], ['load']),
          ...(document.rounds?.restart === 'server' ? keysIn(document.rounds, ['restart'], ['rounds']) : []),
        ];
  return [...ofVariants, ...ofFactors, ...ofAll];
}

/** Keys of a grid or a space; `tune: postgres` names no factor of which one could be shown. */
function keysOfFactors(document: WrittenScenario): Problem[] {
  if (document.tune === 'postgres') return keysIn(document, ['tune'], []);
  return (['sweep', 'tune'] as const).flatMap((space) =>
    Object.entries(document[space] ?? {}).flatMap(([name, factor]) =>
      keysOf(factor, ['setting', 'hideIndex', ...postgresFactorKeys], [space, name]),
    ),
  );
}

/** Those of a variant or a factor, also within parts of which only some keys need a Postgres. */
function keysOf(value: { readonly [key: string]: unknown }, keys: readonly string[], path: Path): Problem[] {
  const within = postgresKeysIn.flatMap(([part, own]) => keysIn(Object(value[part]), own, [...path, part]));
  return [...keysIn(value, keys, path), ...within];
}

function keysIn(value: object, keys: readonly string[], path: Path): Problem[] {
  return keys
    .filter((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined)
    .map((key) => ({ path, key, message: `${[...path, key].join('.')}: ${NONE}` }));
}
