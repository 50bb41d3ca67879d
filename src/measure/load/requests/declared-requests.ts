import type { Random } from '../../../base/random.ts';
import type { RequestSpec } from '../../../journal/scenario-record.ts';
import type { RequestSource } from '../request-source.ts';
import { checksOf } from './body-check.ts';
import { compileRequest, type TemplateContext, templatePartsOf } from './compile-request.ts';

/** A source for the `requests` of a scenario: drawn by weight, placeholders filled in for each request. */
export function declaredRequests(specs: readonly RequestSpec[], context: TemplateContext): RequestSource {
  const renders = specs.map((spec, name) => compileRequest(spec, name, context));
  const names = specs.map((spec) => spec.name);
  const expected = specs.map((spec) => spec.expect);
  const checks = checksOf(specs);
  const [[first], [only]] = [renders, specs];
  if (first === undefined || only === undefined) throw new RangeError('declaredRequests: no requests');
  if (renders.length === 1)
    return { names, expected, ...checks, next: first, ...(isFixed(only) && { fixed: first() }) };
  const pick = weightedPick(
    specs.map((spec) => spec.weight),
    context.random,
  );
  return { names, expected, ...checks, next: () => (renders[pick()] ?? first)() };
}

/** Draws an index in proportion to the weights. */
export function weightedPick(weights: readonly number[], random: Pick<Random, 'next'>): () => number {
  let sum = 0;
  const bounds = weights.map((weight) => (sum += weight));
  return () => {
    const point = random.next() * sum;
    return bounds.findIndex((bound) => point < bound);
  };
}

function isFixed(spec: RequestSpec): boolean {
  return templatePartsOf(spec).every(({ kind }) => kind === 'text' || kind === 'number' || kind === 'token');
}
