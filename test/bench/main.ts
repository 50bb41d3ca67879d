import { markdownTable } from 'markdown-table';
import { whatIsAsked } from '../support/asked.ts';
import { benchAgainst } from './against.ts';
import { benchArms } from './arms.ts';
import { benchBulkLoad } from './bulk-load.ts';
import { benchCapacity } from './capacity.ts';
import { benchDecisions, benchTailDecisions } from './decisions.ts';
import { benchDistance, benchDistancePools } from './distance.ts';
import { benchDockerOverhead } from './docker-overhead.ts';
import { benchGithub } from './github.ts';
import type { Goal } from './goal.ts';
import { benchHistory } from './history.ts';
import { benchIndexAndLock } from './index-and-lock.ts';
import { benchInstances } from './instances.ts';
import { benchJudge } from './judge-large.ts';
import { benchLargeEdFi } from './large-edfi.ts';
import { benchLive } from './live.ts';
import { benchLoadGenerator, benchQuantiles } from './load-generator.ts';
import { benchMachines } from './machines.ts';
import { askedBenches, type BenchName } from './names.ts';
import { benchProbes } from './probes.ts';
import { benchQuiet } from './quiet.ts';
import { benchReport } from './report-large.ts';
import { benchStack } from './stack.ts';
import { benchStart } from './start.ts';
import { benchStrangers } from './strangers.ts';
import { benchSweep } from './sweep.ts';
import { benchTails } from './tails.ts';
import { benchTune } from './tune.ts';
import { benchTuneLive } from './tune-live.ts';
import { benchTurns } from './turns.ts';
import { benchUsers } from './users.ts';

const { names, arms } = whatIsAsked(askedBenches(process.argv.slice(2)));
const benches: Readonly<Record<BenchName, () => Goal[] | Promise<Goal[]>>> = {
  quiet: benchQuiet,
  load: benchLoadGenerator,
  quantiles: benchQuantiles,
  users: benchUsers,
  capacity: benchCapacity,
  history: benchHistory,
  sweep: benchSweep,
  turns: benchTurns,
  live: benchLive,
  github: benchGithub,
  probes: benchProbes,
  'bulk-load': benchBulkLoad,
  'index-and-lock': benchIndexAndLock,
  against: benchAgainst,
  strangers: benchStrangers,
  instances: benchInstances,
  start: benchStart,
  stack: benchStack,
  docker: benchDockerOverhead,
  machines: benchMachines,
  distance: benchDistance,
  'distance-pools': benchDistancePools,
  decisions: () => benchDecisions(arms.folder),
  'tail-decisions': benchTailDecisions,
  tails: benchTails,
  tune: benchTune,
  'tune-live': benchTuneLive,
  judge: benchJudge,
  report: benchReport,
  'large-edfi': benchLargeEdFi,
  arms: () => benchArms(arms),
};

/** `npm run bench`: the goals for the bench itself, measured in one run; `npm run bench -- quantiles` is that one alone. Exit code 1 where one is missed. */
const goals: Goal[] = [];
for (const name of names) goals.push(...(await benches[name]()));
const rows = goals.map(({ name, measured, goal, reached }) => [name, measured, goal, reached ? 'reached' : 'MISSED']);
console.log(markdownTable([['goal', 'measured', 'promised', ''], ...rows]));
process.exit(goals.every(({ reached }) => reached) ? 0 : 1);
