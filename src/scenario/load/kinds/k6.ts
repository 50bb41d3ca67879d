import { resolve } from 'node:path';
import { z } from 'zod';
import { env, strict, text } from '../../../base/schema-values.ts';
import type { LoadLevel, Variant } from '../../../journal/scenario-record.ts';
import type { K6Workload } from '../../../journal/script-spec.ts';
import { instancesOf } from '../../../journal/service/instances.ts';
import { requireFile } from '../../checks.ts';
import type { Around, KindOfLoad, Written } from '../kind.ts';
import { sizesOf } from '../sizes.ts';
import type { RateDocument } from './rate.ts';
import type { UsersDocument } from './users.ts';

/** At a rate this many users are made, one for each iteration a second, where the scenario does not say: each costs k6 memory. */
const MOST_USERS = 500;
const LEAST_USERS = 20;

const keys = {
  k6: z
    .union(
      [
        text,
        strict({
          script: text.describe('the script'),
          exec: text.optional().describe('the exported function that is an iteration; default default'),
          env: env.optional().describe('what the script finds in __ENV besides'),
          urlVariable: text.optional().describe("the variable that names the arm's address; default BASE_URL"),
          tokenVariable: text
            .optional()
            .describe('the variable that holds what target.login has fetched; default TOKEN'),
        }),
      ],
      { error: 'expected a file, or { script, exec, env, urlVariable, tokenVariable }' },
    )
    .optional()
    .describe('a k6 script to be run under users or at a rate; it finds the service in __ENV.BASE_URL'),
};

type K6Document = Written<typeof keys>;

/** Keys that a load by k6 cannot have, and what to do about each. */
const refused = {
  connections: 'k6 has users or a rate: expected load.users or load.rate',
  arrivals: 'iterations begin at equal distances: leave it out',
  count: 'load.slice says how long it takes: leave it out',
  data: 'the script reads its own files: leave it out',
  sessions: 'each iteration of a script is as new as it says: leave it out',
  think: 'the script pauses by itself: leave it out',
  turn: 'a k6 is started for each slice: leave it out',
  uniqueFrom: 'a script makes its own numbers: leave it out',
  bulk: 'expected load.bulk or load.k6, not both',
};

/** A script that k6 runs. */
export const k6 = {
  keys,
  takesOver: true,
  needs: { oneOf: ['users', 'rate'], message: 'load.k6: expected load.users or load.rate' },
  refuses: Object.fromEntries(
    Object.entries(refused).map(([key, expected]) => [key, `load.${key} is not for load.k6: ${expected}`]),
  ),
  isWhole: () => true,
  notLive: 'load.k6: settings that are switched live take short turns, and k6 whole slices',
  levels({ users, rate, inFlight }: UsersDocument & RateDocument, { problems }: Around) {
    if (users !== undefined && rate !== undefined)
      problems.push({ path: ['load'], key: 'rate', message: 'load: expected one of users, rate, not both' });
    if (users !== undefined)
      return { levels: sizesOf(users, 'users', problems).map((size): LoadLevel => ({ users: size, of: 'vus' })) };
    const rates = sizesOf(rate ?? [1], 'rate', problems);
    const most = Math.min(MOST_USERS, Math.max(LEAST_USERS, Math.ceil(Math.max(...rates))));
    return {
      levels: rates.map((size): LoadLevel => ({ rate: size, of: 'iterations' })),
      openLoop: { arrivals: 'constant', inFlight: inFlight ?? most } as const,
    };
  },
  workload({ k6: written = '' }: K6Document, { origin, problems }: Around): K6Workload {
    const {
      script,
      exec = 'default',
      env: variables = {},
      urlVariable = 'BASE_URL',
      tokenVariable = 'TOKEN',
    } = typeof written === 'string' ? { script: written } : written;
    const file = resolve(origin.folder, script);
    requireFile(file, ['load', 'k6', ...(typeof written === 'string' ? [] : ['script'])], problems);
    for (const name of Object.keys(variables)) {
      if (!name.startsWith('K6_')) continue;
      problems.push({
        path: ['load', 'k6', 'env'],
        key: name,
        message: `load.k6.env: ${name} would be an option of k6's: expected it among the options of the script`,
      });
    }
    return { kind: 'k6', script: file, exec, env: variables, urlVariable, tokenVariable };
  },
  mistakes(_: object, variants: readonly Variant[]) {
    const several = variants.find((variant) => instancesOf(variant) > 1);
    if (several === undefined) return [];
    const message = `load.k6: k6 sends to one address, and "${several.name}" has ${several.instances} instances of the service: expected load by connections, users or rate, or a command that shares one port among its own processes (node:cluster, PM2)`;
    return [{ path: ['load'], key: 'k6', message }];
  },
} satisfies KindOfLoad;
