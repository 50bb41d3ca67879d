import { parseJsonPath } from '../../base/json-path.ts';
import { withoutUndefined } from '../../base/schema-values.ts';
import type { TemplatePart } from '../../base/template.ts';
import type { SentRequest } from '../../journal/request-value.ts';
import type { Path, Problem } from '../problem.ts';
import { requestProblems } from './request-problems.ts';
import type { RequestDocument } from './request-shape.ts';

/** A request with its defaults. What is wrong with it is added to `problems`. */
export function sentRequest(
  document: RequestDocument,
  path: Path,
  messagesOf: (parts: readonly TemplatePart[]) => readonly string[],
  problems: Problem[],
): SentRequest {
  const { method = 'GET', path: address = '/', headers = {}, body } = withGraphql(document, path, problems);
  problems.push(...requestProblems({ method, path: address, headers, body }, path, messagesOf));
  const name = document.name ?? operationName(document) ?? `${method} ${address}`;
  return withoutUndefined({ name, method, path: address, headers, body, ...expectationOf(document, path, problems) });
}

function withGraphql(document: RequestDocument, path: Path, problems: Problem[]): RequestDocument {
  const { graphql } = document;
  if (graphql === undefined) return document;
  for (const key of ['method', 'body'] as const) {
    if (document[key] !== undefined)
      problems.push({ path, key, message: `${key} does not go with graphql, which is a POST with its own body` });
  }
  return { ...document, method: 'POST', body: withoutUndefined(graphql) };
}

/** `query post($id: ID!) { ... }` is called post. */
function operationName({ graphql }: RequestDocument): string | undefined {
  return /^\s*(?:query|mutation)\s+([A-Za-z_]\w*)/.exec(graphql?.query ?? '')?.[1];
}

/** Servers of GraphQL answer 200 to requests that failed, and name the errors in the body. */
const NO_ERRORS = { '$.errors': 'absent' };

function expectationOf(
  { expect = {}, graphql }: RequestDocument,
  path: Path,
  problems: Problem[],
): Pick<SentRequest, 'expect' | 'expectBody'> {
  const { status, json, text } = Array.isArray(expect) ? { status: expect } : expect;
  for (const place of Object.keys(json ?? {})) {
    if (parseJsonPath(place) !== null) continue;
    const message = `expected a path such as $.data.id, not "${place}"`;
    problems.push({ path: [...path, 'expect', 'json', place], message: `expect.json: ${message}` });
  }
  const both = graphql === undefined ? json : { ...NO_ERRORS, ...json };
  const body = withoutUndefined({ json: both, text });
  return withoutUndefined({ expect: status, expectBody: Object.keys(body).length === 0 ? undefined : body });
}
