import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { found, swept } from './live-session.ts';

const short = 'connections: 4, slice: 2s, drop: 200ms, warmup: 500ms';

it('a test of inserts that sends the same body again and again is found', { timeout: 120_000 }, async () => {
  const summary = await swept(`
variants: { Control: {} }
control: Control
load: { ${short}, requests: [{ method: POST, path: /items, body: { id: 7, name: the same } }] }
`);
  expect(found(summary, 'inserts-become-updates')).toEqual(['Control']);
  expect(summary.findings[0]?.text).toMatch(/^Control, 4 connections: 100 % of POSTs were answered 200 and not 201/);
});

it('a load generator that takes longer than the service is found, its void slices or not', {
  timeout: 120_000,
}, async () => {
  const summary = await swept(`
variants: { Control: {} }
control: Control
load: { ${short}, module: ${JSON.stringify(resolve('test/fixtures/slow-workload.mjs'))} }
`);
  expect(summary.findings[0]?.name).toBe('generator-is-the-limit');
  expect(summary.saturation[0]).toMatchObject({ resource: 'generator', isLimit: true });
});
