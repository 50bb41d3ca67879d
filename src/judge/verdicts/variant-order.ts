import { poolSizeIn } from '../../journal/pool-size.ts';
import type { FactorValue, ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import { partsOf, type VariantParts } from '../../journal/variant-parts.ts';
import { doubledVariant } from '../read/other-control.ts';

/** A variant as one step of what is varied, with its parts. */
export interface Setting extends VariantParts {
  readonly variant: string;
  /** Its short name beside its neighbours: `25` for `pool=25`, else the variant's name. */
  readonly label: string;
  /** Its levels in a grid, in the order of the scenario; empty for a named variant. */
  readonly factors: Readonly<Record<string, FactorValue>>;
}

/** The order of settings: by the one numeric factor, by connections and instances, or as the scenario lists them. */
export type OrderedBy = 'level' | 'connections' | 'listed';

/**
 * The scenario's variants from the smallest to the largest. If one numeric factor varies, by its number. If the pool
 * and the number of instances do, by the connections of all instances together, and then by instances. Else, and in a search,
 * the planned control, then the others in the order of the scenario, which is taken for the order of preference.
 */
export function inOrder(scenario: ResolvedScenario): Setting[] {
  return orderOf(scenario).settings;
}

/** Those, and what their order goes by. */
export function orderOf(scenario: ResolvedScenario): { readonly by: OrderedBy; readonly settings: Setting[] } {
  const { variants } = scenario;
  // What counts as cheap is not chosen after the run.
  const control = doubledVariant(scenario);
  const numbers = variants.map(({ factors }) => onlyNumber(factors));
  const names = new Set(variants.flatMap(({ factors }) => Object.keys(factors)));
  const sized = byConnections(scenario, names);
  if (sized !== null) return { by: 'connections', settings: sized.map((variant) => settingOf(variant)) };
  if (names.size !== 1 || numbers.includes(null) || scenario.tune !== undefined) {
    const isControl = ({ name }: { readonly name: string }): boolean => name === control;
    const ordered = [...variants.filter(isControl), ...variants.filter((variant) => !isControl(variant))];
    return { by: 'listed', settings: ordered.map((variant) => settingOf(variant)) };
  }
  const sorted = variants
    .map((variant, i) => ({ variant, value: numbers[i] ?? 0 }))
    .sort((a, b) => a.value - b.value)
    .map(({ variant, value }) => settingOf(variant, String(value)));
  return { by: 'level', settings: sorted };
}

function settingOf(variant: Variant, label = variant.name): Setting {
  return { variant: variant.name, label, factors: variant.factors, ...partsOf(variant) };
}

/** Null where something else varies than the pool's size and the number of instances. */
function byConnections(scenario: ResolvedScenario, factors: ReadonlySet<string>): readonly Variant[] | null {
  const sized = scenario.variants.map((variant) => ({
    variant,
    connections: poolSizeIn(scenario, variant),
    instances: instancesOf(variant),
  }));
  const values = (pick: (one: (typeof sized)[number]) => number | null): number => new Set(sized.map(pick)).size;
  const pools = values(({ connections, instances }) => connections && connections / instances);
  const instances = values((one) => one.instances);
  const isGrid = factors.size === 2 && pools > 1 && instances > 1 && pools * instances === sized.length;
  if (!isGrid || sized.some(({ connections }) => connections === null)) return null;
  return sized
    .sort((a, b) => (a.connections ?? 0) - (b.connections ?? 0) || a.instances - b.instances)
    .map(({ variant }) => variant);
}

function onlyNumber(factors: Readonly<Record<string, FactorValue>>): number | null {
  const [value, ...others] = Object.values(factors);
  return typeof value === 'number' && others.length === 0 ? value : null;
}

/** True where variants differ in what runs and in nothing else, and none is said to be cheaper: among equals there is no smallest. */
export function areReleases({ variants, cost }: Pick<ResolvedScenario, 'variants' | 'cost'>): boolean {
  if (variants.length < 2 || cost !== undefined || variants.some((variant) => variant.cost !== undefined)) return false;
  const alike = new Set(variants.map(besidesRelease)).size === 1;
  return alike && new Set(variants.map(releaseOf)).size === variants.length;
}

/** The release of a variant: the service's command and folder, its job, and Postgres. */
function releaseOf({ command, cwd, services, job, treatment }: Variant): string {
  return JSON.stringify([command, cwd, services, job, treatment?.postgres]);
}

function besidesRelease({ name: _, command: __, cwd: ___, services, job: ____, treatment, ...rest }: Variant): string {
  const { postgres: _____, ...changes } = treatment ?? noTreatment;
  const environments = Object.entries(services ?? {}).flatMap(([service, { env }]) => (env ? [[service, env]] : []));
  return JSON.stringify([rest, changes, environments]);
}

const noTreatment: NonNullable<Variant['treatment']> = {
  settings: {},
  dropIndex: [],
  createIndex: [],
  hideIndex: [],
  sql: [],
};
