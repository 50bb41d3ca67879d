import { parsePercent } from '../base/units.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { durationOr, type Origin } from './checks.ts';
import { resolveCost } from './load/resolve-cost.ts';
import { resolveJudge } from './load/resolve-judge.ts';
import type { Problem } from './problems.ts';
import { resolveDataset } from './resolve-dataset.ts';
import { liveProblems } from './resolve-live.ts';
import { resolveLoad } from './resolve-load.ts';
import { resolveStack } from './resolve-stack.ts';
import { resolveTarget, variantsAgainstTarget } from './resolve-target.ts';
import { settingsAgainstServers, settingsAgainstTarget } from './resolve-treatment.ts';
import { resolveVariants } from './resolve-variants.ts';
import type { ScenarioDocument } from './schema.ts';
import { searchAgainstStack } from './search-against-stack.ts';
import { changesAgainstServices } from './services/resolve-services.ts';
import { partProblems } from './variant-parts/check-parts.ts';
import { heedHousekeeping, housekeepingProblems, withHousekeeping } from './variant-parts/housekeeping.ts';
import { databaseProblems, withDatabases } from './variant-parts/own-database.ts';
import { completed } from './variant-parts/parts.ts';

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
  const live = variants.find((variant) => variant.live !== undefined)?.live;
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
    ...searchAgainstStack(document, target, variants, stack.opensearch),
  );
  if (document.question === 'best' && document.load.capacity !== undefined) {
    const message = 'question: best is about load levels, and load.capacity looks for them: expected changes';
    problems.push({ path: ['question'], message });
  }
  const load = heedHousekeeping(document, resolveLoad(document.load, target, origin, problems, live ?? null), variants);
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
      load,
      rounds: {
        min,
        max,
        budgetMs: durationOr(rounds?.budget, 600_000),
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

/** A grid asks for the level to take, unless it looks for capacities. */
function isAboutBest({ question, sweep, load }: ScenarioDocument): boolean {
  return (question ?? (sweep === undefined ? 'changes' : 'best')) === 'best' && load.capacity === undefined;
}

function probesOff(probes: NonNullable<ScenarioDocument['probes']>): 'all' | string[] {
  const off = Object.entries(probes).flatMap(([name, value]) => (value === 'off' || value === false ? [name] : []));
  return off.includes('all') ? 'all' : off;
}
