import { textEnv, withoutUndefined } from '../base/schema-values.ts';
import { parsePercent } from '../base/units.ts';
import type { OpenSearchSpec, PostgresSpec, ResolvedScenario, Target, Variant } from '../journal/scenario-record.ts';
import { durationOr, type Origin } from './checks.ts';
import { askedKinds, kindMistakes } from './load/kinds.ts';
import { resolveCost } from './load/resolve-cost.ts';
import { resolveJudge } from './load/resolve-judge.ts';
import type { Path, Problem } from './problems.ts';
import { resolveAgainst } from './resolve-against.ts';
import { resolveDataset } from './resolve-dataset.ts';
import { resolveLoad } from './resolve-load.ts';
import { changesAgainstServices } from './resolve-services.ts';
import { resolveTarget, variantsAgainstTarget } from './resolve-target.ts';
import { settingsAgainstServers, settingsAgainstTarget } from './resolve-treatment.ts';
import { resolveVariants } from './resolve-variants.ts';
import type { ScenarioDocument } from './schema.ts';
import { partProblems } from './variant-parts/check-parts.ts';
import { heedHousekeeping, housekeepingProblems, withHousekeeping } from './variant-parts/housekeeping.ts';
import { lengthsAfterSwitches } from './variant-parts/live/part.ts';
import { liveProblems } from './variant-parts/live/problems.ts';
import { databaseProblems, withDatabases } from './variant-parts/own-database.ts';
import { completed, levelsOf } from './variant-parts/parts.ts';

/** Fills in the defaults and checks what no schema can. With problems, the scenario must not be used. */
export function resolveScenario(
  document: ScenarioDocument,
  origin: Origin,
): { scenario: ResolvedScenario; problems: Problem[] } {
  const problems: Problem[] = [];
  const target = resolveTarget(document, origin, problems);
  const { control, problems: variantProblems, ...resolved } = resolveVariants(document, origin.folder);
  const { variants: priced, cost } = resolveCost(document, resolved.variants, problems);
  const variants = withDatabases(
    document,
    priced.map((variant) => completed(variant, target)),
  );
  const { rounds } = document;
  const servers = resolveStack(document.stack);
  const stack = { ...servers, postgres: withHousekeeping(document, servers.postgres, variants) };
  problems.push(
    ...variantProblems,
    ...variantsAgainstTarget(document, target),
    ...databaseProblems(document, target, variants),
    ...changesAgainstServices(document),
    ...settingsAgainstServers(document, { stack, variants }),
    ...settingsAgainstTarget(document, target),
    ...liveProblems(document, target),
    ...housekeepingProblems(document, variants),
    ...partProblems(document, variants, target),
    ...kindMistakes(document, variants),
    ...searchAgainstStack(document, target, variants, stack.opensearch),
  );
  const own = resolveLoad(document.load, target, origin, problems, lengthsAfterSwitches(variants));
  const load = heedHousekeeping(document, own, variants);
  const judge = resolveJudge(document, load.capacity, problems);
  const min = rounds?.min ?? Math.min(4, rounds?.max ?? 4);
  const max = rounds?.max ?? Math.max(40, min);
  if (min > max)
    problems.push({ path: ['rounds', 'min'], message: `rounds.min ${min} is more than rounds.max ${max}` });
  return {
    scenario: {
      name: origin.name,
      title: document.title ?? origin.name,
      file: origin.file,
      target,
      dataset: resolveDataset(document, target, origin, problems),
      variants,
      control,
      ...resolveAgainst(document, target, origin, problems),
      load,
      rounds: {
        min,
        max,
        budgetMs: durationOr(rounds?.budget, 600_000),
        ...(rounds?.settleWithin !== undefined && { settleWithinMs: durationOr(rounds.settleWithin, 0) }),
        ...(rounds?.restart !== undefined && { restart: rounds.restart }),
      },
      ...(isAboutBest(document) && { question: 'best' }),
      ...(document.probes !== undefined && { probesOff: probesOff(document.probes) }),
      marginPercent: parsePercent(document.margin ?? 5) ?? 5,
      ...(judge !== undefined && { judge }),
      ...(cost !== undefined && { cost }),
      stack,
    },
    problems,
  };
}

/** A grid asks for the level to take, where its load recommends one. */
function isAboutBest({ question, sweep, load }: ScenarioDocument): boolean {
  const asked = question ?? (sweep === undefined ? 'changes' : 'best');
  return asked === 'best' && !askedKinds(load).some(({ recommendsNothing }) => recommendsNothing);
}

function probesOff(probes: NonNullable<ScenarioDocument['probes']>): 'all' | string[] {
  const off = Object.entries(probes).flatMap(([name, value]) => (value === 'off' || value === false ? [name] : []));
  return off.includes('all') ? 'all' : off;
}

type StackDocument = NonNullable<ScenarioDocument['stack']>;

/** The servers of a scenario, with what was left out left out. */
function resolveStack({ postgres, opensearch }: StackDocument = {}): ResolvedScenario['stack'] {
  return { postgres: resolvePostgres(postgres), opensearch: resolveOpenSearch(opensearch) };
}

/** Its housekeeping is in part a matter of variants. */
function resolvePostgres({
  settings,
  version,
  housekeeping: _,
  ...rest
}: StackDocument['postgres'] & {} = {}): PostgresSpec {
  const release = version === undefined ? undefined : String(version);
  return withoutUndefined({ settings: textEnv(settings), version: release, ...rest }) as PostgresSpec;
}

function resolveOpenSearch(asked: StackDocument['opensearch']): boolean | OpenSearchSpec {
  if (typeof asked !== 'object') return asked === 'on' || asked === true;
  const { version, heap, ...rest } = asked;
  const release = version === undefined ? undefined : String(version);
  return withoutUndefined({ version: release, heapMb: heap && megabytesOf(heap), ...rest }) as OpenSearchSpec;
}

/** Reads `512m` or `1g`, as the schema has accepted it. */
function megabytesOf(size: string): number {
  return Number.parseInt(size, 10) * (/g$/i.test(size) ? 1024 : 1);
}

/**
 * Search that the document service is asked for and cannot have: it would refuse to start (src/sample/service/config.ts). A
 * service of the user's own means what it likes by these names.
 */
function searchAgainstStack(
  document: ScenarioDocument,
  target: Target,
  variants: readonly Variant[],
  search: boolean | OpenSearchSpec = false,
): Problem[] {
  if (target.kind !== 'service') return [];
  const problems = new Map<string, Problem>();
  const add = (path: Path, message: string): unknown => problems.set(path.join('.'), { path, message });
  for (const variant of variants) {
    const {
      SEARCH_MODE: mode = 'off',
      QUERY_FROM: source,
      OPENSEARCH_URL: url,
    } = { ...target.env, ...variant.env } as Partial<Record<string, string>>;
    if (mode !== 'off' && search === false && url === undefined) {
      const path = pathToVariable(document, variant, 'SEARCH_MODE');
      add(path, `SEARCH_MODE ${mode} needs OpenSearch: expected off, or with it stack: { opensearch: on }`);
    }
    if (mode === 'off' && source === 'opensearch') {
      const next = 'or a SEARCH_MODE such as per-document, with stack: { opensearch: on }';
      const path = pathToVariable(document, variant, 'QUERY_FROM');
      add(path, `QUERY_FROM opensearch finds nothing where SEARCH_MODE is off: expected postgres, ${next}`);
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
