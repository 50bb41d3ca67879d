import { resolve } from 'node:path';
import { textEnv } from '../../base/schema-values.ts';
import type { LoadSpec } from '../../journal/scenario-record.ts';
import type { K6Workload } from '../../journal/script-spec.ts';
import { type Origin, requireFile } from '../checks.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

type LoadDocument = ScenarioDocument['load'];

/** At a rate so many users are made, one for each iteration a second, where the scenario does not say: each costs k6 memory. */
const MOST_USERS = 500;
const LEAST_USERS = 20;

/** The script of `load.k6`, with its defaults. */
export function resolveK6(k6: NonNullable<LoadDocument['k6']>, origin: Origin, problems: Problem[]): K6Workload {
  const {
    script,
    exec = 'default',
    env,
    urlVariable = 'BASE_URL',
    tokenVariable = 'TOKEN',
  } = typeof k6 === 'string' ? { script: k6 } : k6;
  const isShort = typeof k6 === 'string';
  const file = resolve(origin.folder, script);
  requireFile(file, isShort ? ['load', 'k6'] : ['load', 'k6', 'script'], problems);
  for (const name of Object.keys(env ?? {})) {
    if (!name.startsWith('K6_')) continue;
    problems.push({
      path: ['load', 'k6', 'env'],
      key: name,
      message: `load.k6.env: ${name} would be an option of k6's: expected it among the options of the script`,
    });
  }
  return { kind: 'k6', script: file, exec, env: textEnv(env), urlVariable, tokenVariable };
}

/** The load levels of a script, and what holds for all of them. */
export function k6Levels(
  load: LoadDocument,
  isLive: boolean,
  problems: Problem[],
): Pick<LoadSpec, 'levels' | 'openLoop'> {
  problems.push(...k6Problems(load, isLive));
  if (load.users !== undefined) return { levels: [load.users].flat().map((users) => ({ users })) };
  const rates = [load.rate ?? 1].flat();
  const inFlight = load.inFlight ?? Math.min(MOST_USERS, Math.max(LEAST_USERS, Math.ceil(Math.max(...rates))));
  return {
    levels: rates.map((rate) => ({ rate, of: 'iterations' })),
    openLoop: { arrivals: 'constant', inFlight },
  };
}

/** Problems of keys that a load by k6 cannot have. */
function k6Problems(load: LoadDocument, isLive: boolean): Problem[] {
  const refused: readonly (readonly [keyof LoadDocument, string])[] = [
    ['connections', 'k6 has users or a rate: expected load.users or load.rate'],
    ['arrivals', 'iterations begin at equal distances: leave it out'],
    ['count', 'load.slice sets how long it takes: leave it out'],
    ['limit', 'there is no load.count: leave it out'],
    ['reads', 'they follow a load.bulk: leave them out'],
    ['data', 'the script reads its own files: leave it out'],
    ['sessions', 'each iteration of a script is as new as it says: leave it out'],
    ['think', 'the script pauses by itself: leave it out'],
    ['turn', 'a k6 is started for each slice: leave it out'],
    ['uniqueFrom', 'a script makes its own numbers: leave it out'],
    ['bulk', 'expected load.bulk or load.k6, not both'],
  ];
  const found = refused.flatMap(([key, expected]): Problem[] =>
    load[key] === undefined ? [] : [{ path: ['load'], key, message: `load.${key} is not for load.k6: ${expected}` }],
  );
  const wrong = (key: keyof LoadDocument, message: string): void => void found.push({ path: ['load'], key, message });
  if (load.users === undefined && load.rate === undefined) wrong('k6', 'load.k6: expected load.users or load.rate');
  if (load.users !== undefined && load.rate !== undefined) wrong('rate', 'load: expected one of users, rate, not both');
  if (load.inFlight !== undefined && load.rate === undefined) wrong('inFlight', 'load.inFlight goes with load.rate');
  if (load.for !== undefined && load.slice !== undefined)
    wrong('slice', 'load.slice does not go with load.for, which says when a slice ends');
  if (isLive) wrong('k6', 'load.k6: settings that are switched live take short turns, and k6 whole slices');
  for (const key of ['users', 'rate'] as const) {
    const sizes = [load[key] ?? []].flat();
    sizes.forEach((size, index) => {
      if (sizes.indexOf(size) < index)
        found.push({ path: ['load', key, index], message: `load level ${size} stands twice` });
    });
  }
  return found;
}
