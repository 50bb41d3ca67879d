import { didYouMean } from '../../base/nearest.ts';
import type { MeasuredCost, Variant } from '../../journal/scenario-record.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

/** The probe that measures memory and CPU. */
const PROBE = 'processes';

interface Costs {
  readonly variants: readonly Variant[];
  readonly cost?: MeasuredCost;
}

/** The variants with their costs, or what is measured in place of a cost; what is wrong with it goes to the problems. */
export function resolveCost(document: ScenarioDocument, variants: readonly Variant[], problems: Problem[]): Costs {
  const { cost } = document;
  if (cost === undefined) return { variants };
  const path = ['cost'];
  if (typeof cost === 'string') {
    problems.push(...unmeasured(document, cost).map((message) => ({ path, message })));
    return { variants, cost };
  }
  const isNamed = ({ name, factors }: Variant, key: string): boolean => key === name || key === levelOf(factors);
  for (const key of Object.keys(cost)) {
    if (variants.length === 0 || variants.some((variant) => isNamed(variant, key))) continue;
    const names = variants.map(({ name, factors }) => levelOf(factors) ?? name);
    problems.push({
      path,
      key,
      message: `cost: "${key}" is not a variant: expected ${names.join(', ')}${didYouMean(key, names)}`,
    });
  }
  const priced = variants.map((variant) => {
    const [first, second] = Object.entries(cost).filter(([key]) => isNamed(variant, key));
    if (second !== undefined)
      problems.push({ path, key: second[0], message: `cost: "${first?.[0]}" and "${second[0]}" are the same variant` });
    return first === undefined ? variant : { ...variant, cost: first[1] };
  });
  const missing = priced.filter((variant) => variant.cost === undefined).map(({ name }) => name);
  if (missing.length > 0)
    problems.push({
      path,
      message: `cost: expected a number for each variant, and there is none for ${missing.join(', ')}`,
    });
  return { variants: priced };
}

/** The level of a grid of one factor, as text; null where a variant has no factor or several. */
function levelOf(factors: Variant['factors']): string | null {
  const [level, ...others] = Object.values(factors);
  return level === undefined || others.length > 0 ? null : String(level);
}

/** Why a cost cannot be measured. */
function unmeasured({ probes, target }: ScenarioDocument, cost: MeasuredCost): string[] {
  const off = probes === 'all' ? probes : probes?.find((name) => name === PROBE);
  if (off !== undefined) return [`cost: ${cost} is measured by the probe ${PROBE}, and probes.${off} is off`];
  return target.url === undefined
    ? []
    : [`cost: ${cost} cannot be measured: target.url is a service that already runs`];
}
