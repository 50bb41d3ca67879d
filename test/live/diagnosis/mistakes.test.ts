import { beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { found, mistaken, sweptAndCounted, textOf } from './live-session.ts';

/**
 * Mistakes that leave a trace which is counted or logged, so that another program's load hides none of them. What is
 * judged by waiting, idling and being full is in test/bench/quiet/mistakes.test.ts, and simulated in
 * test/judge/explain/diagnosis.test.ts.
 */
const scenario = `
variants:
  Healthy: {}
  Early release: { env: { MISTAKE: early release } }
  Nowait: { env: { MISTAKE: nowait } }
  Lock timeout: { env: { MISTAKE: lock timeout } }
  Twice: { env: { MISTAKE: twice } }
  Checkpoints: { env: { MISTAKE: checkpoint } }
  Without the index: { dropIndex: ix_items_name }
control: Healthy
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
    // So slow that the load leaves some of the machine to other tests.
    summary = await sweptAndCounted(scenario, { service: mistaken('none', 0.03) });
  });

  it.each([
    ['transaction-in-progress', ['Early release']],
    ['rollbacks-and-lock-failures', ['Nowait', 'Lock timeout']],
    ['plan-changed', ['Without the index']],
    ['inserts-become-updates', []],
  ])('is found, and not where it is not: %s, %j', (name, variants) => {
    expect(found(summary, name).sort()).toEqual([...variants].sort());
  });

  it('that strikes the server is found in all arms of the pass, which share it', () => {
    expect(found(summary, 'checkpoint-or-autovacuum')).toEqual(expect.arrayContaining(['Checkpoints', 'Healthy']));
  });

  it('of the number of transactions is found', () => {
    // Two others send more than a request should: a BEGIN in another's transaction, a CHECKPOINT.
    const mayToo = ['Early release', 'Checkpoints'];
    expect(found(summary, 'transactions-per-request').filter((name) => !mayToo.includes(name))).toEqual(['Twice']);
  });

  it('that makes requests share a connection is what limits the cell, whatever else is full', () => {
    expect(summary.saturation.find(({ variant }) => variant === 'Early release')).toMatchObject({
      resource: 'shared connection',
      isLimit: true,
    });
  });

  it('is told with its numbers', () => {
    // Each of a pool's sessions may have reported one transaction more or less.
    expect(textOf(summary, 'transactions-per-request', 'Twice')).toMatch(
      /^(1\.9\d*|2(\.[01]\d*)?) transactions per request, control (0\.9\d*|1(\.[01]\d*)?)$/,
    );
    expect(textOf(summary, 'plan-changed', 'Without the index')).toContain(
      'Seq Scan on items appears (control: Index Scan on items using ix_items_name) in "SELECT id FROM items WHERE name = $1"',
    );
    expect(textOf(summary, 'rollbacks-and-lock-failures', 'Lock timeout')).toMatch(/ lock timeouts \(55P03\) a slice$/);
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
