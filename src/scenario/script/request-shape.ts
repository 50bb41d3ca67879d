import { z } from 'zod';
import { BODY, list, nameOf } from '../../base/schema-values.ts';

/** What is said of any request. */
export const requestShape = {
  name: nameOf.optional().describe('name in the report; default METHOD path'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).optional().describe('default GET'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe(`${BODY}; strings may hold placeholders such as \${unique}`),
  expect: list(z.int().min(100).max(599))
    .optional()
    .describe('the statuses that are no failure, such as [200, 201]; default any 2xx'),
};

/** How often one of several is taken. */
export const weight = z
  .number()
  .positive()
  .max(1_000_000)
  .optional()
  .describe('how often, against the others; default 1');
