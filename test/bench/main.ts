import { markdownTable } from 'markdown-table';
import { benchBulkLoad } from './bulk-load.ts';
import { benchCapacity } from './capacity.ts';
import { benchDockerOverhead } from './docker-overhead.ts';
import { benchGithub } from './github.ts';
import type { Goal } from './goal.ts';
import { benchIndexAndLock } from './index-and-lock.ts';
import { benchJudge } from './judge-large.ts';
import { benchLargeEdFi } from './large-edfi.ts';
import { benchLive } from './live.ts';
import { benchLoadGenerator } from './load-generator.ts';
import { benchProbes } from './probes.ts';
import { benchQuiet } from './quiet.ts';
import { benchReport } from './report-large.ts';
import { benchStack } from './stack.ts';
import { benchStart } from './start.ts';
import { benchSweep } from './sweep.ts';
import { benchTurns } from './turns.ts';

/** `npm run bench`: the goals for the bench itself, measured in one run. Exit code 1 where one is missed. */
const goals: Goal[] = [
  ...(await benchQuiet()),
  ...(await benchLoadGenerator()),
  ...(await benchSweep()),
  ...(await benchTurns()),
  ...(await benchLive()),
  ...(await benchCapacity()),
  ...(await benchGithub()),
  ...(await benchProbes()),
  ...(await benchBulkLoad()),
  ...benchIndexAndLock(),
  ...(await benchStart()),
  ...(await benchStack()),
  ...(await benchDockerOverhead()),
  ...benchJudge(),
  ...(await benchReport()),
  ...(await benchLargeEdFi()),
];
const rows = goals.map(({ name, measured, goal, reached }) => [name, measured, goal, reached ? 'reached' : 'MISSED']);
console.log(markdownTable([['goal', 'measured', 'promised', ''], ...rows]));
process.exit(goals.every(({ reached }) => reached) ? 0 : 1);
