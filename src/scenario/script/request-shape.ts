import { z } from 'zod';
import { BODY, list, nameOf, strict } from '../../base/schema-values.ts';
import type { RequestValue } from '../../journal/request-value.ts';

const statuses = list(z.int().min(100).max(599));

const expectation = z.union(
  [
    statuses,
    strict({
      status: statuses.optional().describe('the statuses that are no failure; default any 2xx'),
      json: z
        .record(z.string(), z.json())
        .optional()
        .describe('by path such as $.data.id: absent, present, or the value that stands there'),
      text: z.string().min(1).optional().describe('a part of the body'),
    }),
  ],
  { error: 'expected statuses such as [200, 201], or { status: [200], json: { $.errors: absent }, text: done }' },
);

const graphql = strict({
  query: z.string().min(1).describe('the document'),
  variables: z.record(z.string(), z.json()).optional().describe('its variables; strings may hold placeholders'),
});

/** Keys that any request has. */
export const requestShape = {
  name: nameOf.optional().describe('name in the report; default METHOD path'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).optional().describe('default GET'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe(`${BODY}; strings may hold placeholders such as \${unique}`),
  graphql: graphql
    .optional()
    .describe('in place of method and body: a GraphQL request by POST, which fails where its answer has errors'),
  expect: expectation
    .optional()
    .describe('what is no failure: statuses such as [200, 201], and what the body has to hold; default any 2xx'),
};

/** Values that are kept of an answer, by name. */
export const capture = z
  .record(z.string().regex(/^[A-Za-z_][\w-]*$/, { error: 'expected a name such as id' }), z.string())
  .optional();

/** A request as it is written, in a list or as a step. */
export interface RequestDocument {
  readonly name?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: RequestValue | undefined;
  readonly graphql?: z.infer<typeof graphql> | undefined;
  readonly capture?: z.infer<typeof capture>;
  readonly expect?: z.infer<typeof expectation> | undefined;
}

/** How often one of several is taken. */
export const weight = z
  .number()
  .positive()
  .max(1_000_000)
  .optional()
  .describe('how often, against the others; default 1');
