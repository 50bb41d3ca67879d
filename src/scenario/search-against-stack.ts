import type { OpenSearchSpec, Target, Variant } from '../journal/scenario-record.ts';
import type { Path, Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';
import { levelsOf } from './variant-parts/parts.ts';

/**
 * Search that the document service is asked for and cannot have: it would refuse to start (src/sample/service/config.ts). A
 * service of the user's own means what it likes by these names.
 */
export function searchAgainstStack(
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
      const path = placeOf(document, variant, 'SEARCH_MODE');
      add(path, `SEARCH_MODE ${mode} needs OpenSearch: expected off, or with it stack: { opensearch: on }`);
    }
    if (mode === 'off' && source === 'opensearch') {
      const next = 'or a SEARCH_MODE such as per-document, with stack: { opensearch: on }';
      const path = placeOf(document, variant, 'QUERY_FROM');
      add(path, `QUERY_FROM opensearch finds nothing where SEARCH_MODE is off: expected postgres, ${next}`);
    }
  }
  return [...problems.values()];
}

/** Where the value stands that a variable has in a variant. */
function placeOf({ sweep = {}, variants = {} }: ScenarioDocument, variant: Variant, variable: string): Path {
  const [name, factor] = Object.entries(sweep).findLast(([, { env }]) => env === variable) ?? [];
  if (name !== undefined && factor !== undefined) {
    const level = levelsOf(factor).findIndex((value) => String(value) === variant.env[variable]);
    return ['sweep', name, 'levels', level];
  }
  return variants[variant.name]?.env?.[variable] === undefined
    ? ['target', 'env', variable]
    : ['variants', variant.name, 'env', variable];
}
