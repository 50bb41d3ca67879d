import { beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { found, swept, textOf } from '../../live/diagnosis/live-session.ts';

const scenario = `
variants:
  Healthy: {}
  Early release: { env: { MISTAKE: early release } }
  Leak: { env: { MISTAKE: leak, SLEEP: "0.05" } }
  Small pool: { env: { POOL: "2", SLEEP: "0.05" } }
  Hot row: { env: { MISTAKE: hot row } }
  Nowait: { env: { MISTAKE: nowait } }
  Lock timeout: { env: { MISTAKE: lock timeout } }
  Postgres CPU: { env: { MISTAKE: postgres cpu, SLEEP: "0" } }
  Pool of 1: { env: { POOL: "1" } }
  Busy loop: { env: { MISTAKE: busy loop } }
  Twice: { env: { MISTAKE: twice } }
  Scan: { env: { MISTAKE: scan } }
  Checkpoints: { env: { MISTAKE: checkpoint } }
  Without the index: { dropIndex: ix_items_name }
control: Healthy
stack: { postgres: { settings: { shared_buffers: 8MB } } }
load:
  connections: 12
  slice: 3s
  drop: 200ms
  warmup: 1s
  requests: [{ method: POST, path: /items, body: { id: "\${unique}", name: "item \${integer 1 20000}" } }]
`;

describe('a planted mistake', () => {
  let summary: Summary;
  beforeAll(async () => {
    summary = await swept(scenario);
  }, 240_000);

  it.each([
    ['transaction-in-progress', 'Early release'],
    ['transactions-per-request', 'Twice'],
    ['pool-unused', 'Early release'],
    ['pool-waits-while-postgres-idles', 'Leak'],
    ['pool-too-small', 'Small pool'],
    ['lock-waits', 'Hot row'],
    ['rollbacks-and-lock-failures', 'Nowait'],
    ['rollbacks-and-lock-failures', 'Lock timeout'],
    ['event-loop-holds-transactions', 'Busy loop'],
    ['plan-changed', 'Without the index'],
    ['cache-misses', 'Scan'],
    ['checkpoint-or-autovacuum', 'Checkpoints'],
  ])('is found: %s, %s', (name, variant) => {
    expect(found(summary, name)).toContain(variant);
  });

  it('is told with its numbers', () => {
    expect(textOf(summary, 'transactions-per-request', 'Twice')).toMatch(
      /^2\.0\d transactions per request, control 1\.0\d$/,
    );
    expect(textOf(summary, 'plan-changed', 'Without the index')).toContain(
      'Seq Scan on items appears (control: Index Scan on items using ix_items_name) in "SELECT id FROM items WHERE name = $1"',
    );
    expect(textOf(summary, 'pool-waits-while-postgres-idles', 'Leak')).toMatch(
      /requests wait \(control 0(\.\d+)?\) for one of 12 connections, up to 12 are taken, and Postgres works on [12]/,
    );
    expect(textOf(summary, 'rollbacks-and-lock-failures', 'Lock timeout')).toMatch(/ lock timeouts \(55P03\) a slice$/);
    expect(textOf(summary, 'lock-waits', 'Hot row')).toMatch(/connections wait for a lock \((transactionid|tuple)/);
  });

  it.each([
    ['locks', 'Hot row'],
    ['service event loop', 'Busy loop'],
    ['postgres cpu', 'Postgres CPU'],
    ['pool', 'Small pool'],
    ['pool', 'Pool of 1'],
    ['pool', 'Leak'],
  ])('is what a cell is limited by: %s, %s', (resource, variant) => {
    const cell = summary.saturation.find((one) => one.variant === variant);
    expect(cell).toMatchObject({ resource, isLimit: true });
  });

  it('is in no arm of the healthy service', () => {
    const healthy = summary.findings.filter(({ name }) => found(summary, name).includes('Healthy'));
    // A checkpoint strikes all arms of the pass, which share a server.
    expect(healthy.filter(({ name }) => name !== 'checkpoint-or-autovacuum')).toEqual([]);
    // As many connections as clients: all are taken, and nobody waits.
    const limited = summary.saturation.filter(({ variant, isLimit }) => variant === 'Healthy' && isLimit);
    expect(limited.filter(({ resource }) => resource === 'pool')).toEqual([]);
  });

  it('does not make others be seen where they are not', () => {
    expect(found(summary, 'transaction-in-progress')).toEqual(['Early release']);
    expect(found(summary, 'plan-changed')).toEqual(['Without the index']);
    expect(found(summary, 'cache-misses')).toEqual(['Scan']);
    expect(found(summary, 'lock-waits').filter((name) => name !== 'Lock timeout')).toEqual(['Hot row']);
    // A service that fails and rolls back as fast as it can fills its event loop, too.
    const storms = ['Nowait', 'Lock timeout'];
    const full = found(summary, 'event-loop-holds-transactions').filter((name) => !storms.includes(name));
    expect(full).toEqual(['Busy loop']);
    // Both send more than a request should: a BEGIN in another's transaction, a CHECKPOINT.
    const more = ['Early release', 'Checkpoints'];
    expect(found(summary, 'transactions-per-request').filter((name) => !more.includes(name))).toEqual(['Twice']);
    expect(found(summary, 'pool-too-small')).not.toContain('Leak');
    expect(found(summary, 'inserts-become-updates')).toEqual([]);
  });

  it('stands in the Why section, the most telling first, with the statements below', () => {
    const why = renderMarkdown(documentOf(summary)).split('<summary>Why</summary>')[1] ?? '';
    expect(why.trimStart()).toMatch(/^- \*\*Early release, 12 connections: .*already a transaction in progress/);
    expect(why).toContain('Statements, most time first');
    expect(summary.statements.find(({ variant }) => variant === 'Healthy')).toMatchObject({
      statement: 'SELECT pg_sleep($1)',
      deltaPercent: null,
    });
  });
});

it('connections that are lost one by one are found', { timeout: 120_000 }, async () => {
  const summary = await swept(`
variants: { Control: { env: { MISTAKE: slow leak, SLEEP: "0.05" } } }
control: Control
load: { connections: 12, slice: 10s, drop: 200ms, warmup: 500ms, requests: [{ method: POST, path: /items, body: { id: "\${unique}", name: item } }] }
`);
  const finding = summary.findings.find(({ name }) => name === 'pool-waits-while-postgres-idles');
  expect(finding?.next).toContain('not released');
});
