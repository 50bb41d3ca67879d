import { expect, it } from 'vitest';
import { run } from './in-process.ts';

it('the plan of a capacity says how long its slices are, though its levels are yet to be found', async () => {
  const { code, out } = await run('plan', 'scenarios/version-comparison-unbounded.yaml');
  expect(code).toBe(0);
  expect(out).toContain('load levels: found in each round, 4 to 400 connections, until p95_ms 100, failed 1 %\n');
  expect(out).toMatch(/about \d+ slices of 3 s, in turns by latency/);
});
