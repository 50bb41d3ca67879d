import { withoutUndefined } from '../base/schema-values.ts';
import { plannedVariants } from '../journal/line-up.ts';
import { BENCH_CONNECTIONS, RESERVED_CONNECTIONS } from '../journal/postgres/connections.ts';
import { defaultMarginOf } from '../journal/run/judge-keys.ts';
import { refusedBySample } from '../journal/sample.ts';
import type { ResolvedScenario, Target, Variant } from '../journal/scenario-record.ts';
import { withRoom } from '../journal/tune/pool-room.ts';
import { placeOfSetting } from '../measure/treatment/setting-names.ts';
import type { Origin } from './checks.ts';
import { askedKinds, kindMistakes } from './load/kinds.ts';
import { checkLimits } from './load/limits.ts';
import { resolveCost } from './load/resolve-cost.ts';
import { resolveJudge } from './load/resolve-judge.ts';
import { overriddenVariables } from './overridden-variables.ts';
import type { Path, Problem } from './problems.ts';
import { resolveAgainst } from './resolve-against.ts';
import { resolveDataset } from './resolve-dataset.ts';
import { resolveLoad } from './resolve-load.ts';
import { changesAgainstServices } from './resolve-services.ts';
import { resolveTarget, variantsAgainstTarget } from './resolve-target.ts';
import { settingsAgainstServers, settingsAgainstTarget } from './resolve-treatment.ts';
import { resolveVariants } from './resolve-variants.ts';
import type { ScenarioDocument, WrittenScenario } from './schema.ts';
import { postgresSpace } from './tune/postgres-space.ts';
import { TUNE_MOST_ROUNDS, TUNE_SLICE_MS } from './tune/resolve-tune.ts';
import { partProblems } from './variant-parts/check-parts.ts';
import { heedHousekeeping, housekeepingProblems, withHousekeeping } from './variant-parts/housekeeping.ts';
import { lengthsAfterSwitches } from './variant-parts/live/part.ts';
import { liveProblems } from './variant-parts/live/problems.ts';
import { databaseProblems, withDatabases } from './variant-parts/own-database.ts';
import { completed, levelsOf } from './variant-parts/parts.ts';

/** After so many rounds a run looks at its verdicts for the last time. */
const LAST_LOOK = 40;

/** Fills in the defaults and checks what no schema can. With problems, the scenario must not be used. */
export function resolveScenario(
  { tune: asked, ...rest }: WrittenScenario,
  origin: Origin,
): { scenario: ResolvedScenario; problems: Problem[] } {
  const document = { ...rest, tune: asked === 'postgres' ? postgresSpace(rest.target) : asked };
  const problems: Problem[] = [];
  const target = resolveTarget(document, origin, problems);
  const { control, problems: variantProblems, ...resolved } = resolveVariants(document, origin.folder);
  const { variants: priced, cost } = resolveCost(document, resolved.variants, problems);
  const variants = withDatabases(
    document,
    priced.map((variant) => completed(variant, target)),
  );
  const { rounds = {} } = document;
  const limited = withLimits(resolved.tune, document, target, problems);
  const { postgres = { settings: {} }, opensearch = false } = document.stack ?? {};
  const stack = { postgres: withHousekeeping(postgres, variants), opensearch };
  problems.push(
    ...variantProblems,
    ...variantsAgainstTarget(document, target),
    ...databaseProblems({ ...document, tune: asked }, target, variants),
    ...changesAgainstServices(document),
    ...overriddenVariables(document, target),
    ...settingsAgainstServers(document, { stack, variants: plannedVariants({ ...resolved, variants }) }),
    ...settingsAgainstTarget(document, target),
    ...liveProblems(document, target),
    ...housekeepingProblems(document, variants),
    ...partProblems(document, variants, target),
    ...kindMistakes(document, variants),
    ...searchAgainstStack(document, target, variants, stack.opensearch),
  );
  const own = resolveLoad(document.load, target, origin, problems, lengthsAfterSwitches(variants));
  const load = searchedLoad(heedHousekeeping(document, own, variants), limited);
  const judge = resolveJudge(document, load.capacity, problems);
  const {
    max_connections: most = `${BENCH_CONNECTIONS}`,
    superuser_reserved_connections: kept = `${RESERVED_CONNECTIONS}`,
  } = stack.postgres.settings;
  const tuned = limited?.factors.flatMap(({ setting }) => setting ?? []) ?? [];
  const areApart = rounds.restart === 'server' || tuned.some((setting) => placeOfSetting(setting) === 'server');
  const min = rounds.min ?? Math.min(4, rounds.max ?? 4);
  const max = rounds.max ?? Math.max(limited === undefined ? LAST_LOOK : TUNE_MOST_ROUNDS, min);
  if (min > max)
    problems.push({ path: ['rounds', 'min'], message: `rounds.min ${min} is more than rounds.max ${max}` });
  else if (min > LAST_LOOK && min < max && limited === undefined)
    problems.push({
      path: ['rounds', 'min'],
      message: `rounds.min ${min} is more than ${LAST_LOOK}, the last round after which verdicts end a run: set rounds.max to ${min}, too, for exactly so many`,
    });
  return {
    scenario: {
      name: origin.name,
      title: document.title ?? origin.name,
      file: origin.file,
      target,
      dataset: resolveDataset(document, target, origin, problems),
      variants,
      control,
      ...withRoom(
        { ...resolved, ...(limited && { tune: limited }), variants, target, load },
        { connections: Number(most) - Number(kept), areApart },
      ),
      ...resolveAgainst(document, target, origin, problems),
      load,
      rounds: withoutUndefined({
        min,
        max,
        budgetMs: rounds.budget ?? 600_000,
        settleWithinMs: rounds.settleWithin,
        restart: rounds.restart,
      }),
      ...(isAboutBest(document) && { question: 'best' }),
      ...(document.probes !== undefined && { probesOff: document.probes }),
      marginPercent: document.margin ?? defaultMarginOf(judge),
      ...(judge !== undefined && { judge }),
      ...(cost !== undefined && { cost }),
      stack,
    },
    problems,
  };
}

/** The limits are of a search alone. */
function withLimits(
  tune: ResolvedScenario['tune'],
  { tune: asked, keep }: ScenarioDocument,
  target: Target,
  problems: Problem[],
): ResolvedScenario['tune'] {
  if (keep === undefined) return tune;
  if (asked === undefined) problems.push({ path: [], key: 'keep', message: 'keep goes with tune' });
  checkLimits(keep, ['keep'], target, problems);
  return tune && { ...tune, keep };
}

/** A search has short slices of one length where the scenario names none. */
function searchedLoad(load: ResolvedScenario['load'], tune: ResolvedScenario['tune']): ResolvedScenario['load'] {
  if (tune === undefined) return load;
  // How many may fail is a limit of the search.
  const allowed = tune.keep?.some(({ metric }) => metric === 'failed') ? { ...load, maxFailedPercent: 100 } : load;
  const { autoSlice, ...fixed } = allowed;
  if (autoSlice === undefined || load.settleMs !== undefined) return allowed;
  return { ...fixed, sliceMs: Math.max(TUNE_SLICE_MS, load.leastSliceMs ?? 0) };
}

/** A grid asks for the level to take, where its load recommends one. */
function isAboutBest({ question, sweep, tune, load }: ScenarioDocument): boolean {
  const asked = question ?? (sweep === undefined && tune === undefined ? 'changes' : 'best');
  return asked === 'best' && !askedKinds(load).some(({ recommendsNothing }) => recommendsNothing);
}

/** Variables with which the sample service would not start. A service of the user's own means what it likes by their names. */
function searchAgainstStack(
  document: ScenarioDocument,
  target: Target,
  variants: readonly Variant[],
  search: ResolvedScenario['stack']['opensearch'],
): Problem[] {
  if (target.kind !== 'service') return [];
  const problems = new Map<string, Problem>();
  for (const variant of variants) {
    for (const { variable, message } of refusedBySample({ ...target.env, ...variant.env }, search !== false)) {
      const path = pathToVariable(document, variant, variable);
      problems.set(path.join('.'), { path, message });
    }
  }
  return [...problems.values()];
}

/** Where the value stands that a variable has in a variant. */
function pathToVariable({ sweep = {}, variants = {} }: ScenarioDocument, variant: Variant, variable: string): Path {
  const [name, factor] = Object.entries(sweep).findLast(([, { env }]) => env === variable) ?? [];
  if (name !== undefined && factor !== undefined) {
    const level = levelsOf(factor).findIndex((value) => String(value) === variant.env[variable]);
    return ['sweep', name, 'levels', level];
  }
  return variants[variant.name]?.env?.[variable] === undefined
    ? ['target', 'env', variable]
    : ['variants', variant.name, 'env', variable];
}
