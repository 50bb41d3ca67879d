/**
 * A branch against main, as its user has it: `pgsweep sweep --against main` in a repository whose branch adds a query, works more
 * or changes nothing. When its answer is there, and whether it is right.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../../src/judge/summary.ts';
import { startCli } from '../cli/cli.ts';
import {
  bookService,
  NEW_QUERY,
  plantedRepository,
  SCHEMA,
  withPackages,
} from '../measure/against/planted-repository.ts';
import type { Goal } from './goal.ts';

const CONNECTIONS = 25;
const SCENARIO = `target: { command: node server.mjs }
dataset: { sql: schema.sql }
load: { connections: ${CONNECTIONS}, requests: [{ path: /books }] }
`;
const MOST_S_FOR_QUERY = 120;
const BUDGET_MINUTES = 14;
const MOST_MINUTES = 15;
const RUNS = 5;
const LEAST = 4;
/** Thousands of steps: about a twentieth of the CPU that a request takes. */
const MORE_WORK = 14;

interface Measured {
  readonly summary: Summary;
  /** The bold line of the report. */
  readonly answer: string;
  readonly minutes: number;
  /** From the start to the line that tells of a new statement; null where there is none. */
  readonly newStatementS: number | null;
}

/** A new query is told in two minutes; 5 % more work, and a branch that is main, in fifteen. Two hours, beside whatever runs. */
export async function benchAgainst(): Promise<Goal[]> {
  const query = await measured(bookService(NEW_QUERY, 0));
  const slower: Measured[] = [];
  while (slower.length < RUNS) slower.push(await measured(bookService(`work(${MORE_WORK});`, 0)));
  const same = await measured(bookService('', 0));
  const told = slower.filter(({ summary, minutes }) => rate(summary)?.verdict === 'lower' && minutes <= MOST_MINUTES);
  const isNone = same.answer.startsWith('No difference');
  return [
    {
      name: 'a branch that adds a query: its statement is told',
      measured: query.newStatementS === null ? 'never' : `after ${query.newStatementS.toFixed(0)} s`,
      goal: `in ${MOST_S_FOR_QUERY} s`,
      reached: query.newStatementS !== null && query.newStatementS <= MOST_S_FOR_QUERY,
    },
    {
      name: `a branch that works 5 % more is slower, within ${MOST_MINUTES} minutes`,
      measured: `${told.length} of ${RUNS}`,
      goal: `${LEAST} of ${RUNS}`,
      reached: told.length >= LEAST,
    },
    {
      name: `a branch that changes nothing has no difference, within ${MOST_MINUTES} minutes`,
      measured: `${same.minutes.toFixed(1)} min: ${same.answer}`,
      goal: 'no difference',
      reached: isNone && same.minutes <= MOST_MINUTES,
    },
  ];
}

const rate = ({ comparisons }: Summary) => comparisons.find(({ metric }) => metric === 'requests_per_s');

async function measured(service: string): Promise<Measured> {
  const repository = plantedRepository();
  try {
    withPackages(repository);
    repository.commit('base', { 'server.mjs': bookService('', 0), 'schema.sql': SCHEMA, 'pgsweep.yaml': SCENARIO });
    repository.git('checkout', '--quiet', '-b', 'mine');
    repository.commit('mine', { 'server.mjs': service });
    repository.git('checkout', '--quiet', 'main');
    repository.commit('main moves on', { 'NEWS.md': 'news' });
    repository.git('checkout', '--quiet', 'mine');
    const out = join(repository.cache, 'run');
    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1000;
    const args = ['sweep', '--against', 'main', '--budget', `${BUDGET_MINUTES}m`, '--out', out];
    const sweep = startCli(args, { cwd: repository.folder, env: { XDG_CACHE_HOME: repository.cache } });
    const newStatementS = await sweep.until(', new: SELECT').then(seconds, () => null);
    const { code, out: report, err } = await sweep.done;
    if (code !== 0) throw new Error(`ended with ${code}:\n${err}`);
    const answer = /^(?:Your branch|No difference|Not known).*$/m.exec(report)?.[0] ?? report;
    const summary: Summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
    const minutes = seconds() / 60;
    console.error(`${minutes.toFixed(1)} min, ${summary.run.rounds} rounds: ${answer}`);
    return { summary, answer, minutes, newStatementS };
  } finally {
    repository.remove();
  }
}
