import { expect, test } from 'vitest';
import type { CapacitySpec } from '../../../src/journal/capacity/capacity-spec.ts';
import { resolveJudge } from '../../../src/scenario/load/resolve-judge.ts';
import type { Problem } from '../../../src/scenario/problems.ts';

const search: CapacitySpec = { of: 'rate', from: 10, to: 100, until: [{ metric: 'p95_ms', most: 200 }] };

function resolve(judge: Parameters<typeof resolveJudge>[0]['judge'], capacity?: CapacitySpec) {
  const problems: Problem[] = [];
  return { judge: resolveJudge({ judge }, capacity, problems), problems: problems.map(({ message }) => message) };
}

test('a run is about the metric that its scenario names', () => {
  expect(resolve('p99.9_ms')).toEqual({ judge: 'p99.9_ms', problems: [] });
  expect(resolve(undefined)).toEqual({ judge: undefined, problems: [] });
});

test('what variants support is judged where it is searched for, and nothing else is', () => {
  expect(resolve('supported rate', search)).toEqual({ judge: undefined, problems: [] });
  expect(resolve('supported rate').problems).toEqual([expect.stringContaining('needs load.capacity')]);
  expect(resolve('supported users', search).problems).toEqual([expect.stringContaining('supported rate')]);
  expect(resolve('p99_ms', search).problems).toEqual([expect.stringContaining('supported rate')]);
});
