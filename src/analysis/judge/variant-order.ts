import type { FactorValue, ResolvedScenario } from '../../journal/scenario-record.ts';

/** A variant as one step of what is varied. */
export interface Setting {
  readonly variant: string;
  /** Its short name beside its neighbours: `25` for `pool=25`, else the variant's name. */
  readonly label: string;
  /** Its levels in a grid, in the order of the scenario; empty for a named variant. */
  readonly factors: Readonly<Record<string, FactorValue>>;
}

/**
 * The scenario's variants from the smallest to the largest: by number where one numeric factor varies, else the control
 * and then the others in the order of the scenario, which is taken for the order of preference.
 */
export function inOrder({ variants, control }: ResolvedScenario): Setting[] {
  const numbers = variants.map(({ factors }) => onlyNumber(factors));
  const names = new Set(variants.flatMap(({ factors }) => Object.keys(factors)));
  if (names.size !== 1 || numbers.includes(null)) {
    const isControl = ({ name }: { readonly name: string }): boolean => name === control;
    const ordered = [...variants.filter(isControl), ...variants.filter((variant) => !isControl(variant))];
    return ordered.map(({ name, factors }) => ({ variant: name, label: name, factors }));
  }
  return variants
    .map(({ name, factors }, i) => ({ variant: name, value: numbers[i] ?? 0, factors }))
    .sort((a, b) => a.value - b.value)
    .map(({ variant, value, factors }) => ({ variant, label: String(value), factors }));
}

function onlyNumber(factors: Readonly<Record<string, FactorValue>>): number | null {
  const [value, ...others] = Object.values(factors);
  return typeof value === 'number' && others.length === 0 ? value : null;
}
