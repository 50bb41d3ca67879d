import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { found, mistaken, swept, sweptAndCounted, textOf } from './live-session.ts';

const short = 'connections: 4, slice: 2s, drop: 200ms, warmup: 500ms';

it('answers that hide what came of a request are found: the same body again and again, errors of Postgres in 200', async () => {
  const summary = await swept(`
variants: { Control: {}, Errors: { env: { MISTAKE: error in 200 } } }
control: Control
load: { ${short}, requests: [{ method: POST, path: /items, body: { id: 7, name: the same } }] }
`);
  expect(found(summary, 'inserts-become-updates').sort()).toEqual(['Control', 'Errors']);
  expect(textOf(summary, 'inserts-become-updates', 'Control')).toMatch(/^100 % of POSTs were answered 200 and not 201/);
  expect(found(summary, 'errors-answered-2xx')).toEqual(['Errors']);
  expect(textOf(summary, 'errors-answered-2xx', 'Errors')).toMatch(
    /^3[1-5](\.\d)? % of requests logged a Postgres error though answered 2xx \([\d,]+ errors, 0 of [\d,]+ requests failed\), most often: duplicate key value violates unique constraint "hot_pkey"$/,
  );
});

it('a load generator that takes longer than the service is found, its void slices or not', async () => {
  const summary = await swept(`
variants: { Control: {} }
control: Control
load: { ${short}, module: ${JSON.stringify(resolve('test/fixtures/slow-workload.mjs'))} }
`);
  expect(summary.findings[0]?.name).toBe('generator-is-the-limit');
  expect(summary.saturation[0]).toMatchObject({ resource: 'generator', isLimit: true });
});

it('requests that are every other time two transactions are found without a control to compare with', async () => {
  const sweep = `
sweep: { SAME: { env: SAME, levels: [1, 2, 3, 4, 5] } }
control: { SAME: 1 }
load: { connections: 12, slice: 4s, turn: 300ms, drop: 200ms, warmup: 500ms, requests: [{ method: POST, path: /items, body: { id: "\${unique}", name: item } }] }
`;
  // So many arms, since complete counters of fewer would have to be waited for; turns so short that they stay under a second
  // on a busy machine; slices so long that one which answers a quarter as often still counts clearly more transactions than
  // health checks and probes make.
  const summary = await sweptAndCounted(sweep, { service: mistaken('now and then twice', 0.03) });
  const [finding] = summary.findings;
  expect(finding?.name).toBe('transactions-per-request');
  expect(finding?.text).toMatch(/1\.[45]\d* transactions per request: not a whole number/);
});

it('autovacuum that is at work while slices are measured is found', async () => {
  const summary = await swept(`
variants: { Control: { sql: "ALTER TABLE items SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 1)" } }
control: Control
stack: { postgres: { settings: { autovacuum: on, autovacuum_naptime: 1s } } }
load: { connections: 4, slice: 3s, drop: 200ms, warmup: 500ms, requests: [{ method: POST, path: /items, body: { id: "\${integer 1 1000}", name: "item \${unique}" } }] }
`);
  expect(found(summary, 'checkpoint-or-autovacuum')).toEqual(['Control']);
  expect(summary.findings.find(({ name }) => name === 'checkpoint-or-autovacuum')?.text).toMatch(
    /autovacuum in \d+ of/,
  );
});
