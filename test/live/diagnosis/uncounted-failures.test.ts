import { expect, it } from 'vitest';
import { documentOf } from '../../../src/report/document.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { fixtures, swept } from './live-session.ts';

it('a service that fails only before anything counts, and only with pools of 5 and more, is marked for it', async () => {
  const summary = await swept(
    `
sweep: { pool: { env: POOL_MAX, levels: [1, 4, 5] } }
control: { pool: 1 }
load: { connections: 25, slice: 1s, warmup: 1500ms, requests: [{ path: / }] }
`,
    { service: `target: { command: ${JSON.stringify(`exec node ${fixtures}/conflicts.mjs`)} }` },
  );
  const failed = summary.averages.map(({ variant, not_ok, errors, timeouts, uncounted, notes }) => ({
    variant,
    counted: not_ok + errors + timeouts,
    uncounted: uncounted.failed > 0,
    marks: notes.map(({ kind }) => kind),
  }));
  const healthy = { counted: 0, uncounted: false, marks: [] };
  expect(failed).toEqual([
    { variant: 'pool=1', ...healthy },
    { variant: 'pool=1', ...healthy },
    { variant: 'pool=4', ...healthy },
    { variant: 'pool=5', counted: 0, uncounted: true, marks: ['more-uncounted-failures'] },
  ]);
  const report = renderMarkdown(documentOf(summary));
  expect(report).toMatch(/^- \[!\] pool=5: more requests failed outside what is counted/m);
  expect(report).toMatch(/^- Failed in the warm-up, .*: pool=5 \[!\] [\d,]+ of [\d,]+ \(.* x 500\)\.$/m);
});
