import { merged } from '../../base/merged.ts';
import type { LoadSpec, Variant } from '../../journal/scenario-record.ts';
import type { Problem } from '../problem.ts';
import type { Around, KindOfLoad } from './kind.ts';
import { autocannon } from './kinds/autocannon.ts';
import { bulk } from './kinds/bulk.ts';
import { capacity } from './kinds/capacity.ts';
import { connections } from './kinds/connections.ts';
import { count } from './kinds/count.ts';
import { job } from './kinds/job.ts';
import { k6 } from './kinds/k6.ts';
import { rate } from './kinds/rate.ts';
import { script } from './kinds/script.ts';
import { stretch } from './kinds/stretch.ts';
import { users } from './kinds/users.ts';

/** All kinds of load and their bounds, by the key that asks for each. */
const kinds = { bulk, job, connections, rate, users, capacity, count, for: stretch, script, k6, autocannon };

/** A load as written. */
type Load = Readonly<Record<string, unknown>>;

interface NamedKind extends KindOfLoad {
  readonly key: string;
}

const all: readonly NamedKind[] = Object.entries<KindOfLoad>(kinds).map(([key, kind]) => ({ key, ...kind }));

/** Schemas of their keys. */
export const kindKeys = merged(kinds, 'keys');

/** Keys of kinds that say where requests come from. */
export const sourceKeys: readonly string[] = all.flatMap(({ key, workload }) => (workload ? [key] : []));

/** Kinds and bounds that a load asks for. */
export function askedKinds(load: Load): readonly NamedKind[] {
  return all.filter(({ key }) => load[key] !== undefined);
}

/** The load levels of a load, and the fields that hold for all of them. Problems are added to those around. */
export function resolveKinds(
  load: Load,
  around: Around,
  isLive: boolean,
): Partial<LoadSpec> & Pick<LoadSpec, 'levels'> {
  const asked = askedKinds(load);
  const sized = asked.filter(({ levels }) => levels !== undefined);
  const lead = sized.find(({ takesOver }) => takesOver) ?? sized[0];
  around.problems.push(...problemsOf(load, asked, isLive));
  if (lead === undefined)
    around.problems.push({
      path: ['load'],
      message: 'load.connections is missing: expected a whole number, or a list of them; or load.rate, or load.users',
    });
  const found = lead?.levels?.(load, around) ?? { levels: [{ connections: 1 }] };
  return Object.assign({}, found, ...asked.map(({ bounds }) => bounds?.(load)));
}

/** Problems elsewhere in a scenario, under the kinds of load that it asks for. */
export function kindMistakes(document: { readonly load: Load }, variants: readonly Variant[]): readonly Problem[] {
  return askedKinds(document.load).flatMap(({ mistakes }) => mistakes?.(document, variants) ?? []);
}

/** Keys that do not go together, or lack another. Of each key one thing is said. */
function problemsOf(load: Load, asked: readonly NamedKind[], isLive: boolean): readonly Problem[] {
  const found = new Map<string, string>();
  const add = (key: string, message: string): unknown => found.has(key) || found.set(key, message);
  const isThere = (key: string): boolean => load[key] !== undefined;
  for (const { refuses = {} } of asked) {
    for (const [key, message] of Object.entries(refuses)) if (isThere(key)) add(key, message);
  }
  for (const { key, keys, alone } of all) {
    if (isThere(key) || asked.some(({ standsFor }) => standsFor?.(load) === key)) continue;
    for (const further of Object.keys(keys).filter(isThere))
      add(further, alone?.[further] ?? `load.${further} goes with load.${key}`);
  }
  for (const { key, needs } of asked) if (needs && !needs.oneOf.some(isThere)) add(key, needs.message);
  const [first, second] = asked.filter(isOneOfSeveral);
  if (first && second && !asked.some(({ takesOver }) => takesOver)) {
    const names = all.filter(isOneOfSeveral).map(({ key }) => key);
    add(second.key, `load: expected one of ${names.join(', ')}, not both ${first.key} and ${second.key}`);
  }
  const whole = asked.find(({ isWhole }) => isWhole?.(load));
  if (whole && isThere('turn') && load.turn !== 'off')
    add('turn', `load.turn: load.${whole.key} has whole slices; expected off, or no load.turn`);
  const notLive = asked.find((kind) => kind.notLive) ?? whole;
  if (notLive && isLive)
    add(
      notLive.key,
      notLive.notLive ??
        `load.${notLive.key} has whole slices, and settings that are switched live have short turns; expected connections`,
    );
  return [...found].map(([key, message]) => ({ path: ['load'], key, message }));
}

function isOneOfSeveral({ levels, takesOver }: KindOfLoad): boolean {
  return levels !== undefined && !takesOver;
}
