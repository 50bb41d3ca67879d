import { z } from 'zod';
import { factorValue, list, strict, text } from '../../base/schema-values.ts';
import { workShowing } from '../../journal/postgres/housekeeping.ts';
import { gridName } from '../../journal/run/grid-name.ts';
import type { FactorValue, ResolvedScenario } from '../../journal/scenario-record.ts';
import type { TunedFactor } from '../../journal/tune/tune-spec.ts';
import { DEFAULT, DEFAULT_PLACE, HIDDEN, placeOf, variantAt } from '../../journal/tune/variant-at.ts';
import { placeOfSetting } from '../../measure/treatment/setting-names.ts';
import { oneOf, requireDistinct, requireOwnTargets } from '../checks.ts';
import type { Path, Problem } from '../problem.ts';
import { valuesBetween } from './range-values.ts';

/** Settings that a round tries beside the control: with them, no arm is idle for long between two of its turns. */
const SLOTS = 6;

/** Slices of a search are short, and rounds many: what scatters most is one start against another. */
export const TUNE_SLICE_MS = 3000;

/** The search and its confirmation together have no more rounds than this. */
export const TUNE_MOST_ROUNDS = 200;

/** A control whose name would be longer is named `control`. */
const LONGEST_NAME = 60;

const tunedFactor = strict({
  env: text.optional().describe('the environment variable that this factor sets'),
  setting: text.optional().describe('the Postgres setting that this factor sets'),
  hideIndex: text.optional().describe('the index that this factor shows or hides'),
  live: strict({ setting: text.optional(), hideIndex: text.optional() })
    .optional()
    .describe('its setting or index, switched in the running service, as all others then are'),
  range: z
    .tuple([factorValue, factorValue], { error: 'expected two ends such as [1, 100] or [1MB, 256MB]' })
    .optional()
    .describe('its ends, such as [1MB, 256MB]'),
  levels: list(factorValue).optional().describe('or values without an order: [on, off]'),
});

const space = z.record(z.string(), tunedFactor).meta({ minProperties: 1 });

export const tune = z
  .union([z.literal('postgres'), space], { error: 'expected factors by name, or postgres' })
  .describe(
    'a space to search; a factor not in control: as it is, or its first level; postgres: a dozen of its settings',
  );

export type WrittenTune = z.output<typeof space>;

/** The control alone, and the space of the search. */
export type ResolvedTune = Pick<ResolvedScenario, 'variants' | 'control' | 'tune' | 'slots'> & {
  readonly problems: readonly Problem[];
};

/** Reads a space, and the control as one of its settings. */
export function resolveTune(
  written: WrittenTune,
  control: FactorValue | Readonly<Record<string, FactorValue>>,
): ResolvedTune {
  const problems: Problem[] = [];
  const add = (path: Path, message: string): unknown => problems.push({ path, message });
  const names = Object.keys(written);
  if (names.length === 0) add(['tune'], 'tune: expected a factor such as pool: { env: POOL_MAX, range: [1, 100] }');
  const own = typeof control === 'object' ? control : {};
  if (typeof control !== 'object')
    add(['control'], `control: expected a value of each factor, such as { ${names[0]}: ... }`);
  for (const key of Object.keys(own).filter((name) => !names.includes(name)))
    problems.push({ path: ['control'], key, message: `control: no factor "${key}": expected ${names.join(', ')}` });
  const started = names.find((name) => written[name]?.live === undefined);
  if (started !== undefined && names.some((name) => written[name]?.live !== undefined))
    add(['tune', started], `tune.${started}: expected live, as the others have`);
  const factors = Object.entries(written).map(([name, factor]) => factorOf(name, factor, own[name], problems));
  const setters = factors.map(({ hideIndex, ...factor }) => ({ ...factor, other: hideIndex }));
  requireOwnTargets('tune', setters, problems);
  if (problems.length > 0) return { variants: [], control: '', problems };
  const variant = variantAt(
    { factors },
    factors.map((factor) => Math.max(0, placeOf(factor, own[factor.name]))),
  );
  // By what the scenario says of it, since all that it leaves as it is may be too long to read.
  const name = [gridName(own), variant.name].find((one) => one !== '' && one.length <= LONGEST_NAME) ?? 'control';
  const others = factors.reduce((product, { values }) => product * values.length, 1) - 1;
  return {
    variants: [{ ...variant, name }],
    control: name,
    tune: { factors },
    slots: Math.min(SLOTS, others),
    problems,
  };
}

function factorOf(
  name: string,
  factor: WrittenTune[string],
  control: FactorValue | undefined,
  problems: Problem[],
): TunedFactor {
  const path: Path = ['tune', name];
  const add = (at: Path, message: string): unknown => problems.push({ path: at, message });
  oneOf(factor, ['env', 'setting', 'hideIndex', 'live'], path, problems);
  if (factor.live !== undefined) oneOf(factor.live, ['setting', 'hideIndex'], [...path, 'live'], problems);
  if (factor.setting !== undefined && workShowing(factor.setting) !== null)
    add(
      [...path, 'setting'],
      `tune.${name}.setting: a search has slices of seconds, and ${factor.setting} shows over minutes: expected some levels of it in sweep, and a longer load.slice`,
    );
  const { env, setting, hideIndex } = { ...factor, ...factor.live };
  const { range, levels = hideIndex === undefined ? undefined : ['shown', HIDDEN] } = factor;
  const live = factor.live && ({ live: placeOfSetting(setting ?? '') === 'server' ? 'server' : 'database' } as const);
  const set = { name, ...(env && { env }), ...(setting && { setting }), ...(hideIndex && { hideIndex }), ...live };
  if (range === undefined) {
    if (levels === undefined) add(path, `tune.${name}: expected one of range, levels`);
    else if (levels.length < 2) add([...path, 'levels'], `tune.${name}.levels: expected two levels or more`);
    const values = levels ?? [];
    requireDistinct(values, [...path, 'levels'], problems);
    // Where the control names none, it has the first level.
    if (control !== undefined && placeOf({ values }, control) < 0)
      add(['control', name], `control: ${name} has no level ${control}: expected one of ${values.join(', ')}`);
    return { ...set, values };
  }
  if (factor.levels !== undefined) add(path, `tune.${name}: expected one of range, levels, not both`);
  const [from, to] = range;
  const found = valuesBetween(from, to, control);
  if (typeof found === 'string') {
    add([...path, 'range'], `tune.${name}.range: ${found}`);
    return { ...set, values: [] };
  }
  if (control !== undefined && placeOf(found, control) < 0)
    add(['control', name], `control: ${name} ${control} lies outside of tune.${name}.range [${from}, ${to}]`);
  if (control !== undefined) return { ...set, ...found };
  return { ...set, values: [DEFAULT, ...found.values], places: [DEFAULT_PLACE, ...found.places] };
}
