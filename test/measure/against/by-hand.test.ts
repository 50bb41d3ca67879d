import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { createRandom } from '../../../src/base/random.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { compared } from '../../../src/measure/against/compared.ts';
import { withSides } from '../../../src/measure/against/take-sides.ts';
import type { LoadJob } from '../../../src/measure/load/load-generator.ts';
import { declaredRequests } from '../../../src/measure/load/requests/declared-requests.ts';
import { armsOf } from '../../../src/measure/plan/arms.ts';
import { runSweep } from '../../../src/measure/run/run-sweep.ts';
import { startOf } from '../../../src/measure/target/start-of.ts';
import type { Start } from '../../../src/measure/target/start-process.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { fakeWorld } from '../run/fake-world.ts';
import { type PlantedRepository, plantedRepository } from './planted-repository.ts';

let repository: PlantedRepository;
let reaper: Reaper;

beforeEach(() => {
  repository = plantedRepository();
  vi.stubEnv('XDG_CACHE_HOME', repository.cache);
  reaper = startReaper();
});

afterEach(async () => {
  await reaper.close();
  vi.unstubAllEnvs();
  repository.remove();
});

/** A scenario in the repository, with what varies in it. */
const text = (varies: string, { cwd, sql }: { readonly cwd: string; readonly sql: string }): string => `title: Items
target: { command: node server.mjs, cwd: ${cwd}, env: { LOG: "off" }, ready: /health }
dataset: { sql: ${sql} }
${varies}
load:
  connections: [1, 25]
  slice: 2s
  requests: [{ path: "/items/\${integer 1 1000}", weight: 3 }, { path: /items, weight: 1 }]
rounds: { min: 5, max: 5 }
margin: 3%
`;

/** Everything of a run but what its service and database do: what is started, in which order, and what is sent. */
async function runOf(scenario: ResolvedScenario) {
  const world = fakeWorld(scenario);
  const jobs: LoadJob[] = [];
  const starts: Start[] = [];
  const { stack, load } = world.context;
  await runSweep({
    ...world.context,
    stack: {
      ...stack,
      startTarget(options) {
        if (scenario.target.kind === 'command') starts.push(startOf(scenario.target, options.variant));
        return stack.startTarget(options);
      },
    },
    load: {
      ...load,
      generator: {
        ...load.generator,
        open(job) {
          jobs.push(job);
          return load.generator.open(job);
        },
      },
    },
    firstRound: 1,
    decideStop: () => ({ stop: false, undecided: 9 }),
    startedAtMs: 0,
    quick: false,
  });
  return { jobs, starts, log: world.log, records: world.records, sent: jobs.map((job) => requestsOf(scenario, job)) };
}

/** The first requests of a stream. */
function requestsOf({ load }: ResolvedScenario, { seed }: LoadJob): string[] {
  let count = 0;
  const context = { random: createRandom(seed), unique: () => count++, documents: [] };
  if (load.workload.kind !== 'requests') throw new Error('no requests');
  const source = declaredRequests(load.workload.requests, context);
  return Array.from({ length: 20 }, () => JSON.stringify(source.next()));
}

/** With the names of folders in place of where they lie. */
function named<T>(value: T, folders: Readonly<Record<string, string>>): T {
  const plain = Object.entries(folders).reduce(
    (json, [name, folder]) => json.replaceAll(JSON.stringify(folder).slice(1, -1), name),
    JSON.stringify(value),
  );
  return JSON.parse(plain);
}

it('is the run that a scenario with two folders written by hand makes', async () => {
  const base = repository.commit('base', { 'app/server.mjs': 'base', 'app/schema.sql': 'SELECT 1;' });
  repository.git('switch', '--quiet', '--create', 'mine');
  repository.write({ 'app/server.mjs': 'mine' });
  const file = join(repository.folder, 'pgsweep.yaml');
  const asked = parseScenario(text('against: main', { cwd: 'app', sql: 'app/schema.sql' }), file);
  const against = await withSides(asked, {}, async (taken, make) => {
    await make({ reaper, env: process.env, onProgress: () => {}, signal: undefined });
    return compared(asked, taken);
  });

  // Two folders, as git worktree and a copy make them.
  const [control, branch] = [join(dirname(repository.folder), 'control'), join(dirname(repository.folder), 'mine')];
  repository.git('worktree', 'add', '--quiet', control, base);
  repository.git('worktree', 'add', '--quiet', '--detach', branch);
  for (const name of ['server.mjs', 'schema.sql'])
    repository.write({ [`../mine/app/${name}`]: readFileSync(join(repository.folder, 'app', name), 'utf8') });
  const variants = `variants: { main: { cwd: ${control}/app }, branch: { cwd: ${branch}/app } }\ncontrol: main`;
  const byHand = parseScenario(text(variants, { cwd: join(branch, 'app'), sql: join(branch, 'app/schema.sql') }), file);

  const taken = against.against?.taken;
  const ofAgainst = { CONTROL: taken?.commits[0]?.folder ?? '', BRANCH: taken?.work.folder ?? '' };
  const ofHand = { CONTROL: control, BRANCH: branch };
  for (const name of ['server.mjs', 'schema.sql'])
    for (const side of ['CONTROL', 'BRANCH'] as const)
      expect(readFileSync(join(ofAgainst[side], 'app', name))).toEqual(readFileSync(join(ofHand[side], 'app', name)));

  // What differs: where the folders lie; the record of the comparison; the folder that a scenario with variants in two never uses.
  const { against: _, target, ...scenario } = named(against, ofAgainst);
  const { target: targetByHand, ...scenarioByHand } = named(byHand, ofHand);
  expect(scenario).toEqual(scenarioByHand);
  expect({ ...target, cwd: '' }).toEqual({ ...targetByHand, cwd: '' });
  expect(scenario.variants).toMatchObject([
    { name: 'main', cwd: 'CONTROL/app' },
    { name: 'branch', cwd: 'BRANCH/app' },
  ]);
  expect(armsOf(against).map(({ name, repeat }) => [name, repeat])).toEqual(
    armsOf(byHand).map(({ name, repeat }) => [name, repeat]),
  );

  const [run, runByHand] = [named(await runOf(against), ofAgainst), named(await runOf(byHand), ofHand)];
  expect(run.starts).toEqual(runByHand.starts);
  expect(new Set(run.starts.map(({ cwd }) => cwd))).toEqual(new Set(['CONTROL/app', 'BRANCH/app']));
  expect(run.log).toEqual(runByHand.log);
  expect(run.jobs).toEqual(runByHand.jobs);
  expect(run.sent).toEqual(runByHand.sent);
  const places = run.records.flatMap((record) => (record.type === 'round' && record.places ? [record.places] : []));
  expect(places).toHaveLength(5);
  expect(run.records).toEqual(runByHand.records);
});
