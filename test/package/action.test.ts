import { expect, inject, it } from 'vitest';
import { measurePullRequest } from '../scripts/github/measured-pull-request.ts';

// One round is too little for any verdict, whatever else the machine does: the gate is unclear.
const small = {
  work: { base: 100, head: 110 },
  load: 'connections: 4, slice: 1s, warmup: 300ms',
  rounds: 'min: 1, max: 1, budget: 10m',
};
const gates = 'rps > -5%';

it('a pull request is measured against its base in one job, by the packed checkout; a gate that is unclear fails it where it shall', async () => {
  const inputs = { package: `file:${inject('tarball')}`, gates, 'gate-unclear': 'fail', budget: '' };
  const { job, comments, kept, summary } = await measurePullRequest({ ...small, inputs });
  const logs = job.steps.map(({ name, log }) => `${name}\n${log}`).join('\n');
  expect(summary?.run, logs).toMatchObject({ variants: ['base', 'branch'], control: 'base', rounds: 1 });
  const { commits, work } = summary?.run.against?.taken ?? {};
  expect(commits?.[0]?.commit).toMatch(/^[0-9a-f]{40}$/);
  expect(work?.commit).toMatch(/^[0-9a-f]{40}$/);
  expect(work?.commit).not.toBe(commits?.[0]?.commit);

  expect(job.conclusion).toBe('failure');
  // Whether this machine is fit is not for a test to say.
  const reason = summary?.session.verdict === 'fit' ? 'A gate failed' : 'This machine was not fit';
  expect(logs).toContain(`::error title=pgsweep::${reason}`);
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toMatch(/^<!-- pgsweep:report pgsweep -->\n/);
  expect(comments[0]?.body).not.toContain('<details>');
  expect(job.summary).toMatch(/^<!-- pgsweep:report pgsweep -->\n/);
  expect(job.summary).toContain('rps > -5%');
  expect(kept[0]?.files).toEqual(expect.arrayContaining(['report.md', 'report.html', 'summary.json', 'journal.jsonl']));
});
