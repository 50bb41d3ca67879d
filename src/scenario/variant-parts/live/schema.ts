import { z } from 'zod';
import { BODY, env, name, names, sentPath, statements, strict, urlPath } from '../../../base/schema-values.ts';

const request = strict({
  method: z.enum(['PUT', 'POST', 'PATCH', 'DELETE', 'GET']).optional().describe('default PUT'),
  path: sentPath.describe('path and query'),
  headers: env.optional(),
  body: z.json().optional().describe(`${BODY}; "\${level}" alone stands for the level as it is`),
});

const verify = strict({
  path: urlPath.optional().describe('answered to GET with JSON that holds `expect`'),
  sql: name.optional().describe('a query whose first value is `expect`'),
  expect: z.json().describe('what must be seen before the turn counts'),
});

const shared = {
  request: request.optional().describe('a request to the service, which it has to answer with 2xx'),
  sql: statements.optional().describe('SQL in the database of the service'),
  reconnect: z
    .boolean()
    .optional()
    .describe("whether the service's database sessions are closed too; settings and hidden indexes do it anyway"),
  verify: verify.optional().describe('what shows that the switch was made; looked at before every turn'),
};

/** How a factor is switched in a running service; texts may hold `${level}`. */
export const liveFactor = strict({
  ...shared,
  setting: name.optional().describe('a Postgres setting that new sessions take over, or that a reload sets'),
  hideIndex: name.optional().describe('an index; the levels are shown and hidden'),
});

/** `live` of a named variant. */
export const liveVariant = strict({
  ...shared,
  settings: env.optional().describe('Postgres settings; the other variants are without'),
  hideIndex: names.optional().describe('indexes that no query uses; the other variants use them'),
});
