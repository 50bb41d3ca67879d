import { groupBy } from '../../base/group-by.ts';
import { type VariedHousekeeping, variedHousekeeping } from '../../journal/postgres/housekeeping.ts';
import type { ResolvedScenario, Target, Variant } from '../../journal/scenario-record.ts';

/** Variants that were perhaps meant to differ. */
export interface TwinWarning {
  readonly kind: 'identical-variants' | 'variants-differ-by-space' | 'names-differ-by-space';
  /** Two or more. */
  readonly names: readonly string[];
}

/** Variants change settings of Postgres's own housekeeping, which is on: slices must be long enough to see it. */
interface HousekeepingWarning extends VariedHousekeeping {
  readonly kind: 'housekeeping';
}

/** Files of the schema differ between the sides of a comparison, and all have the folder's. */
interface SchemaWarning {
  readonly kind: 'schema-differs';
  readonly control: string;
  readonly files: readonly string[];
}

export type ScenarioWarning = TwinWarning | HousekeepingWarning | SchemaWarning;

/** Warnings about a scenario that need no look at the machine. */
export function scenarioWarnings(scenario: ResolvedScenario): ScenarioWarning[] {
  const housekeeping = variedHousekeeping(scenario);
  return [
    ...twinWarnings(scenario),
    ...schemaWarnings(scenario),
    ...(housekeeping === null ? [] : [{ kind: 'housekeeping', ...housekeeping } as const]),
  ];
}

function schemaWarnings({ against, control }: ResolvedScenario): SchemaWarning[] {
  const files = against?.taken?.schemaFiles ?? [];
  return files.length === 0 || against?.own.includes('dataset') ? [] : [{ kind: 'schema-differs', control, files }];
}

/** Warnings about variants that are identical, or differ only by a space. */
export function twinWarnings({ target, variants }: Pick<ResolvedScenario, 'target' | 'variants'>): TwinWarning[] {
  const contents = new Map(variants.map((variant) => [variant.name, contentOf(target, variant)]));
  const contentsOf = ({ name }: Variant): string => contents.get(name) ?? '';
  const identical = groupsBy(variants, contentsOf);
  // The first of identical ones stands for all.
  const different = variants.filter((variant) => !identical.some((group) => group.indexOf(variant) > 0));
  const alike = groupsBy(different, (variant) => withoutSpaces(contentsOf(variant)));
  const named = groupsBy(variants, ({ name }) => withoutSpaces(name));
  return [
    ...identical.map((group) => ({ kind: 'identical-variants', names: namesOf(group) }) as const),
    ...alike.map((group) => ({ kind: 'variants-differ-by-space', names: namesOf(group) }) as const),
    ...named.map((group) => ({ kind: 'names-differ-by-space', names: namesOf(group) }) as const),
  ];
}

/** Everything that a variant changes, as text. */
function contentOf(target: Target, variant: Variant): string {
  const { name: _, factors: __, cost: ___, env, command, cwd, url, treatment, ...parts } = variant;
  const { settings = {}, ...changes } = treatment ?? {};
  const lowerCase = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value]));
  const own = target.kind === 'command' ? { command: target.command, cwd: target.cwd } : {};
  return JSON.stringify([
    sorted({ ...(target.kind !== 'url' && target.env), ...env }),
    [command ?? own.command, cwd ?? own.cwd, url ?? (target.kind === 'url' ? target.url : '')],
    sorted(lowerCase),
    Object.entries(changes).filter(([, change]) => !Array.isArray(change) || change.length > 0),
    Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

function sorted(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '');
}

function groupsBy(variants: readonly Variant[], keyOf: (variant: Variant) => string): Variant[][] {
  return groupBy(variants, keyOf).filter(({ length }) => length > 1);
}

function namesOf(variants: readonly Variant[]): string[] {
  return variants.map(({ name }) => name);
}
