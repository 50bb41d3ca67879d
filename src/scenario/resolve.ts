import { parsePercent } from '../base/units.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { durationOr, type Origin } from './checks.ts';
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
import { instancesAgainstLoad, partProblems } from './variant-parts/check-parts.ts';
import { databaseProblems, withDatabases } from './variant-parts/own-database.ts';
import { withSessionsOfSample } from './variant-parts/pooler.ts';

/** Fills in the defaults and checks what no schema can. With problems, the scenario must not be used. */
export function resolveScenario(
  document: ScenarioDocument,
  origin: Origin,
): { scenario: ResolvedScenario; problems: Problem[] } {
  const problems: Problem[] = [];
  const target = resolveTarget(document, origin, problems);
  const { control, problems: variantProblems, ...resolved } = resolveVariants(document, origin.folder);
  const variants = withDatabases(document, withSessionsOfSample(resolved.variants, target));
  const { rounds } = document;
  const stack = resolveStack(document.stack);
  problems.push(
    ...variantProblems,
    ...variantsAgainstTarget(document, target),
    ...databaseProblems(document, target, variants),
    ...changesAgainstServices(document),
    ...settingsAgainstServers(document, { stack, variants }),
    ...settingsAgainstTarget(document, target),
    ...liveProblems(document, target),
    ...partProblems(document, variants, target),
    ...instancesAgainstLoad(document, variants),
    ...searchAgainstStack(document, target, variants, stack.opensearch),
  );
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
      load: resolveLoad(
        document.load,
        target,
        origin,
        problems,
        variants.find(({ live }) => live !== undefined)?.live ?? null,
      ),
      rounds: {
        min,
        max,
        budgetMs: durationOr(rounds?.budget, 600_000),
        ...(rounds?.restart !== undefined && { restart: rounds.restart }),
      },
      ...(document.probes !== undefined && { probesOff: probesOff(document.probes) }),
      marginPercent: parsePercent(document.margin ?? 5) ?? 5,
      stack,
    },
    problems,
  };
}

function probesOff(probes: NonNullable<ScenarioDocument['probes']>): 'all' | string[] {
  const off = Object.entries(probes).flatMap(([name, value]) => (value === 'off' || value === false ? [name] : []));
  return off.includes('all') ? 'all' : off;
}
