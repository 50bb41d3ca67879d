import type { BuiltInWorkload, BulkSpec, LoadLevel, LoadSpec, OpenLoopSpec } from '../../journal/scenario-record.ts';
import { durationOr } from '../checks.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';
import { resolveCapacity } from './resolve-capacity.ts';
import { k6Levels } from './resolve-k6.ts';

type LoadDocument = ScenarioDocument['load'];
type LoadKey = keyof LoadDocument & string;

/** Whoever is two seconds behind with its answers is overloaded; a pause of the service lets up to so many pile up. */
const IN_FLIGHT_S = 2;
const LEAST_IN_FLIGHT = 100;
const LIMIT_MS = 120_000;

/** Keys that go only with another. */
const belongs: readonly (readonly [key: LoadKey, to: LoadKey])[] = [
  ['arrivals', 'rate'],
  ['inFlight', 'rate'],
  ['limit', 'count'],
  ['data', 'script'],
  ['think', 'script'],
  ['sessions', 'script'],
];
/** Keys whose arms have their time in one stretch. */
const wholeKeys = ['rate', 'count', 'users', 'for'] as const;

/** The load levels, and what holds for all of them. */
export function resolveLevels(
  load: LoadDocument,
  bulk: BulkSpec | undefined,
  isLive: boolean,
  problems: Problem[],
): Pick<LoadSpec, 'levels' | 'openLoop' | 'bounded' | 'capacity'> {
  if (load.k6 !== undefined) return k6Levels(load, isLive, problems);
  const problem = problemIn(problems);
  const capacity = resolveCapacity(load, problems);
  const sizes = capacity === undefined ? sizesOf(load, bulk, problems) : [];
  if (load.reads !== undefined && bulk === undefined)
    problem('reads', 'load.reads follow a load.bulk; expected workload');
  for (const [key, to] of belongs) {
    const isThere = load[to] !== undefined || (to === 'rate' && capacity?.of === 'rate');
    if (load[key] !== undefined && !isThere) problem(key, `load.${key} goes with load.${to}`);
  }
  const paced = (['rate', 'users'] as const).find((key) => load[key] !== undefined);
  if (load.count !== undefined && paced !== undefined)
    problem('count', `load.count goes with load.connections, not with load.${paced}`);
  if (load.users !== undefined && load.script === undefined)
    problem('users', 'load.users: expected load.script, which says what they do');
  if (load.for !== undefined) {
    for (const key of ['slice', 'count', 'bulk'] as const)
      if (load[key] !== undefined) problem(key, `load.${key} does not go with load.for, which says when a slice ends`);
  }
  if (bulk !== undefined && load.count !== undefined) problem('count', 'load.count does not go with load.bulk');
  if (load.count !== undefined && load.slice !== undefined)
    problem('slice', 'load.slice does not go with load.count: a slice ends with its last request');
  const isPaced = capacity !== undefined && capacity.of !== 'connections';
  const whole = isPaced ? 'capacity' : wholeKeys.find((key) => load[key] !== undefined);
  if (whole !== undefined && load.turn !== undefined && load.turn !== 'off')
    problem('turn', `load.turn: load.${whole} has whole slices; expected off, or no load.turn`);
  if (whole !== undefined && isLive)
    problem(
      whole,
      `load.${whole} has whole slices, and settings that are switched live have short turns; expected connections`,
    );
  if (capacity !== undefined)
    return { levels: [], capacity, ...(capacity.of === 'rate' && { openLoop: openLoopUpTo(capacity.to, load) }) };
  if (load.rate !== undefined) {
    const rates = [load.rate].flat();
    return { levels: rates.map((rate) => ({ rate })), openLoop: openLoopUpTo(Math.max(...rates), load) };
  }
  const levels = bulk === undefined ? sizes : bulkLevels(bulk, load.reads ?? [], sizes);
  if (load.count === undefined) return { levels };
  return { levels, bounded: { count: load.count, limitMs: durationOr(load.limit, LIMIT_MS) } };
}

function openLoopUpTo(rate: number, { arrivals = 'poisson', inFlight }: LoadDocument): OpenLoopSpec {
  return { arrivals, inFlight: inFlight ?? Math.max(LEAST_IN_FLIGHT, Math.ceil(IN_FLIGHT_S * rate)) };
}

function problemIn(problems: Problem[]): (key: LoadKey, message: string) => void {
  return (key, message) => void problems.push({ path: ['load'], key, message });
}

/** The sizes of the load, as levels. */
function sizesOf(load: LoadDocument, bulk: BulkSpec | undefined, problems: Problem[]): LoadLevel[] {
  const kinds = (['connections', 'rate', 'users'] as const).filter((kind) => load[kind] !== undefined);
  const [kind, other] = kinds;
  if (kind === undefined && bulk === undefined) {
    problems.push({
      path: ['load'],
      message: 'load.connections is missing: expected a whole number, or a list of them; or load.rate, or load.users',
    });
  }
  const problem = problemIn(problems);
  if (other !== undefined)
    problem(other, `load: expected one of connections, rate, users, not both ${kind} and ${other}`);
  if (bulk !== undefined && kind !== undefined && kind !== 'connections')
    problem(kind, `load.${kind} does not go with load.bulk: expected connections`);
  const sizes = [load.connections ?? load.rate ?? load.users ?? bulk?.connections ?? 1].flat();
  sizes.forEach((size, index) => {
    if (sizes.indexOf(size) < index)
      problems.push({ path: ['load', kind ?? 'connections', index], message: `load level ${size} stands twice` });
  });
  return sizes.map((size) => (kind === 'users' ? { users: size } : { connections: size }));
}

/** The bulk load comes first: the reads draw on what it has loaded. */
function bulkLevels(
  { connections }: BulkSpec,
  reads: readonly BuiltInWorkload[],
  plain: readonly LoadLevel[],
): LoadLevel[] {
  return [{ connections, bulk: true }, ...reads.flatMap((workload) => plain.map((level) => ({ ...level, workload })))];
}
