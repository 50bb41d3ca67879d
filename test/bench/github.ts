/**
 * Pull requests against their bases, in a run of the example workflow's own steps: where the head takes 10 % more work an
 * answer, the gate fails with its reason; where it is the same as the base, it passes.
 *
 *   node --import ./src/base/typescript.mjs test/bench/github.ts
 */
import { pathToFileURL } from 'node:url';
import { measurePullRequest } from '../scripts/github/measured-pull-request.ts';
import type { Goal } from './goal.ts';

/** 1.5 ms an answer, beside which its handling is little: the rate falls by nearly all of the planted tenth. */
const WORK = 1000;
const BUDGET = '3m';
const GATE = 'rps > -5%';

export async function benchGithub(): Promise<Goal[]> {
  return [
    await judged('a pull request whose head works 10 % more an answer', 1.1 * WORK, 'fail'),
    await judged('a pull request that changes nothing', WORK, 'pass'),
  ];
}

async function judged(name: string, head: number, wanted: 'fail' | 'pass'): Promise<Goal> {
  const { job, comments, summary } = await measurePullRequest({
    work: { base: WORK, head },
    rounds: 'min: 4',
    inputs: { gates: GATE, 'gate-unclear': 'fail', budget: BUDGET },
  });
  const [gate] = summary?.gates ?? [];
  const sweep = job.steps.find((step) => step.name === 'Sweep')?.log ?? '';
  console.error(sweep);
  console.error(job.summary.split('\n').slice(0, 25).join('\n'));
  const range = gate?.interval?.map((end) => end.toFixed(1)).join(', ') ?? 'no interval';
  const isTold = [job.summary, ...comments.map(({ body }) => body)].every((text) => text.includes(GATE));
  return {
    name: `${name}: the gate ${GATE}`,
    measured: `${gate?.outcome} ${gate?.deltaPercent?.toFixed(1)} % [${range}], ${summary?.run.rounds} rounds, job: ${job.conclusion}`,
    goal: `${wanted}, told in summary and comment`,
    reached:
      gate?.outcome === wanted &&
      job.conclusion === (wanted === 'fail' ? 'failure' : 'success') &&
      comments.length === 1 &&
      isTold,
  };
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) {
  const goals = await benchGithub();
  for (const { reached, name, measured, goal } of goals)
    console.log(`${reached ? 'reached' : 'MISSED'}  ${name}: ${measured} (${goal})`);
  process.exitCode = goals.every(({ reached }) => reached) ? 0 : 1;
}
