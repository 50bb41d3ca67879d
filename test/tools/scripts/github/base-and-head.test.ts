import { expect, it } from 'vitest';
import { measurePullRequest } from '../../../scripts/github/measured-pull-request.ts';

// Two rounds are too few for any verdict, whatever else the machine does: the gate is unclear.
const rounds = 'min: 2, max: 2';
const work = { base: 100, head: 110 };
const gates = 'rps > -5%';

it('a pull request is measured against its base in one job; a gate that is unclear fails it where it shall', async () => {
  const inputs = { gates, 'gate-unclear': 'fail', budget: '60s' };
  const { job, comments, kept, summary } = await measurePullRequest({ work, rounds, inputs });
  const logs = job.steps.map(({ name, log }) => `${name}\n${log}`).join('\n');
  expect(summary?.run, logs).toMatchObject({ variants: ['base', 'head'], control: 'base', rounds: 2 });
  const { base, head } = summary?.provenance.variantCommits ?? {};
  expect(base).toMatch(/^[0-9a-f]{12}$/);
  expect(head).toMatch(/^[0-9a-f]{12}$/);
  expect(base).not.toBe(head);

  expect(job.conclusion).toBe('failure');
  // Whether this machine is fit is not for a test to say.
  const reason = summary?.session.verdict === 'fit' ? 'A gate failed' : 'This machine was not fit';
  expect(logs).toContain(`::error title=pgsweep::${reason}`);
  expect(comments.map(({ body }) => body)).toEqual([job.summary]);
  expect(job.summary).toMatch(/^<!-- pgsweep:report pull-request -->\n/);
  expect(job.summary).toContain('rps > -5%');
  expect(kept[0]?.files).toEqual(expect.arrayContaining(['report.md', 'report.html', 'summary.json', 'journal.jsonl']));
});

it('a gate that is unclear fails no job where it may be, and neither does a machine that is not fit', async () => {
  const inputs = { gates, 'gate-unclear': 'pass', budget: '60s' };
  const { job } = await measurePullRequest({ work, rounds, inputs });
  expect(job.conclusion, JSON.stringify(job.steps)).toBe('success');
  expect(job.summary).toContain('rps > -5%');
});
