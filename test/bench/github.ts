/**
 * Pull requests against their bases, in a run of the example workflow's own steps: where the head takes 10 % more work an
 * answer, the gate fails with its reason; where it is the same as the base, it passes. Three minutes each.
 *
 *   node --import ./src/base/typescript.mjs test/bench/github.ts ['rps > -5%']
 */
import { pathToFileURL } from 'node:url';
import { measurePullRequest } from '../scripts/github/measured-pull-request.ts';
import type { Goal } from './goal.ts';

/** Beside this much work the handling of a request is little: the rate falls by nearly all of the planted tenth. */
const WORK = 400;
const BUDGET = '3m';

export async function benchGithub(gate = 'rps > -5%'): Promise<Goal[]> {
  return [
    await judged('a pull request whose head works 10 % more an answer', { gate, head: 1.1 * WORK, wanted: 'fail' }),
    await judged('a pull request that changes nothing', { gate, head: WORK, wanted: 'pass' }),
  ];
}

interface Judged {
  readonly gate: string;
  /** Thousands of steps an answer. */
  readonly head: number;
  readonly wanted: 'fail' | 'pass';
}

async function judged(name: string, { gate, head, wanted }: Judged): Promise<Goal> {
  const { job, comments, summary } = await measurePullRequest({
    work: { base: WORK, head },
    load: 'connections: 4, slice: 4s, warmup: 1500ms',
    rounds: 'min: 4',
    inputs: { gates: gate, 'gate-unclear': 'fail', budget: BUDGET },
  });
  const result = summary?.gates.find((one) => one.kind === 'change');
  console.error(job.steps.find((step) => step.name === 'Sweep')?.log);
  const range = result?.interval?.map((end) => end.toFixed(1)).join(', ') ?? 'no interval';
  const isTold = [job.summary, ...comments.map(({ body }) => body)].every((text) => text.includes(gate));
  return {
    name: `${name}: the gate ${gate}`,
    measured: `${result?.outcome} ${result?.deltaPercent?.toFixed(1)} % [${range}], ${summary?.run.rounds} rounds, job: ${job.conclusion}`,
    goal: `${wanted}, told in summary and comment`,
    reached:
      result?.outcome === wanted &&
      job.conclusion === (wanted === 'fail' ? 'failure' : 'success') &&
      comments.length === 1 &&
      isTold,
  };
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) {
  const goals = await benchGithub(process.argv[2]);
  for (const { reached, name, measured, goal } of goals)
    console.log(`${reached ? 'reached' : 'MISSED'}  ${name}: ${measured} (${goal})`);
  process.exitCode = goals.every(({ reached }) => reached) ? 0 : 1;
}
