import { resolve } from 'node:path';
import { textEnv } from '../base/schema-values.ts';
import type { K6Workload } from '../journal/scenario-record.ts';
import { type Origin, requireFile } from './checks.ts';
import type { Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';

type LoadDocument = ScenarioDocument['load'];

/** Where k6 makes the users of a rate itself, the scenario has to name as many as one machine can have. */
const MOST_USERS_OF_RATE = 500;
const LEAST_USERS_OF_RATE = 20;

/** The script of `load.k6`, with its defaults. */
export function resolveK6(k6: NonNullable<LoadDocument['k6']>, origin: Origin, problems: Problem[]): K6Workload {
  const { script, exec = 'default', env, urlVariable = 'BASE_URL', tokenVariable = 'TOKEN' } =
    typeof k6 === 'string' ? { script: k6 } : k6;
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

/** What a load by k6 cannot have. */
export function k6Problems(load: LoadDocument, isLive: boolean): Problem[] {
  if (load.k6 === undefined) return [];
  const refused: readonly (readonly [keyof LoadDocument, string])[] = [
    ['connections', 'k6 has users or a rate: expected load.users or load.rate'],
    ['arrivals', 'k6 begins iterations at equal distances: leave it out'],
    ['count', 'how many iterations there are is told by load.users and their time: leave it out'],
    ['turn', 'a k6 is started for each slice: leave it out'],
    ['uniqueFrom', 'a script makes its own numbers: leave it out'],
  ];
  const found = refused.flatMap(([key, expected]): Problem[] =>
    load[key] === undefined ? [] : [{ path: ['load'], key, message: `load.${key} is not for k6: ${expected}` }],
  );
  if (load.users === undefined && load.rate === undefined)
    found.push({ path: ['load'], key: 'k6', message: 'load.k6: expected load.users or load.rate beside it' });
  if (isLive)
    found.push({ path: ['load'], key: 'k6', message: 'load.k6: settings that are switched live take short turns' });
  return found;
}

/** How many users k6 has for its rates where the scenario does not say: each begins an iteration a second at least. */
export function usersOfRates(rates: readonly number[]): number {
  return Math.min(MOST_USERS_OF_RATE, Math.max(LEAST_USERS_OF_RATE, Math.ceil(Math.max(...rates))));
}
