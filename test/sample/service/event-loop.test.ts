import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { watchEventLoop } from '../../../scenarios/services/documents/service/event-loop.ts';

async function shown(registry: Registry): Promise<{ late: number; count: number; active: number }> {
  const text = await registry.metrics();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    late: value('event_loop_lag_seconds_sum'),
    count: value('event_loop_lag_seconds_count'),
    active: value('event_loop_active_seconds_total'),
  };
}

it('counts how late the event loop is and how busy, whoever reads it and how often', async () => {
  const registry = new Registry();
  const stop = watchEventLoop([registry]);
  await sleep(30);
  const before = await shown(registry);
  const start = performance.now();
  while (performance.now() - start < 120);
  await sleep(30);
  await shown(registry);
  const after = await shown(registry);
  stop();
  expect(after.late - before.late).toBeGreaterThan(0.09);
  expect(after.active - before.active).toBeGreaterThan(0.11);
  expect(after.count).toBeGreaterThan(before.count);
  await sleep(30);
  expect((await shown(registry)).count).toBe(after.count);
});
