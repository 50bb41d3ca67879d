import { Command } from 'commander';
import { formatDuration } from '../base/units.ts';
import { loadLabel } from '../journal/load-level.ts';
import type { ResolvedScenario, Variant } from '../journal/scenario-record.ts';
import { armsOf } from '../plan/arms.ts';
import { estimate } from '../plan/estimate.ts';
import { warmupTimeMs } from '../plan/load-time.ts';
import { versionsToFetch } from '../run/postgres-versions.ts';
import { thisMachine } from '../run/provenance.ts';
import { RESULTS } from '../run/run-folder.ts';
import { type PlannedStack, plannedStack } from '../run/session-stack.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { withoutSecrets } from '../scenario/secret-leaves.ts';
import { plannedChanges, variantsByServer } from '../treatment/changes.ts';
import type { Io } from './io.ts';
import { detectableAfter, type LastRun, lastRun } from './last-run.ts';
import { applyOverrides, countOption, defaultScenario, durationOption, type Overrides } from './options.ts';
import { type StackOptions, stackChoice, withStackOptions } from './stack-options.ts';

/** Before it there are no verdicts. */
const LEAST_ROUNDS = 4;

interface PlanOptions extends Overrides, StackOptions {
  readonly json?: boolean;
}

export function planCommand(io: Io): Command {
  return withStackOptions(new Command('plan'))
    .description('show what a sweep would do and how long it would take; runs nothing')
    .argument('[scenario]', 'scenario file', defaultScenario())
    .option('--rounds <n>', 'as many rounds, no more and no fewer', countOption)
    .option('--budget <duration>', 'how long the whole run may take', durationOption)
    .option('--quick', 'one short round, without verdicts')
    .option('--json', 'print the plan as JSON')
    .addHelpText('after', '\nExamples:\n  pgsweep plan\n  pgsweep plan scenarios/pool-size.yaml --budget 30m')
    .action(async (file: string, options: PlanOptions) => {
      const scenario = applyOverrides(loadScenario(file), options);
      const stack = await plannedStack(scenario, stackChoice(options));
      io.out(options.json ? planJson(scenario, stack) : describePlan(scenario, stack));
    });
}

function planJson(scenario: ResolvedScenario, stack: PlannedStack | null): string {
  const arms = armsOf(scenario).map(({ name, repeat }) => ({ name, repeat }));
  const plan = estimate(scenario, stack?.kind);
  const lastRun = lastRunFor(scenario);
  const detectablePercent = lastRun && plan.rounds >= LEAST_ROUNDS ? detectableAfter(lastRun, plan.rounds) : null;
  const { masked } = withoutSecrets(scenario, null);
  return `${JSON.stringify({ scenario: masked, stack, ...plan, arms, detectablePercent, lastRun }, null, 2)}\n`;
}

function describePlan(scenario: ResolvedScenario, stack: PlannedStack | null): string {
  const plan = estimate(scenario, stack?.kind);
  const { load, rounds } = scenario;
  const { min, max, budgetMs } = rounds;
  const minutes = (durationMs: number): string => `${(durationMs / 60_000).toFixed(1)} minutes`;
  const limit = budgetMs < Number.MAX_SAFE_INTEGER ? `, budget ${formatDuration(budgetMs)}` : '';
  const lines = [
    scenario.title,
    '',
    ...(stack === null ? [] : [`stack: ${stack.kind} (${stack.reason})`]),
    `arms (${plan.arms})`,
    ...armsOf(scenario).map(({ name, repeat, variant }) => `  ${name}${armNote(scenario, variant, repeat)}`),
    `load levels (${load.levels.length})`,
    ...load.levels.map((level) => `  ${loadLabel(level)}`),
    ...serverLines(scenario, plan.serversPerRound),
    ...fetchLines(scenario),
    ...resetLines(scenario),
    `cells: ${plan.cells}, each in every round; ${slicesOf(scenario, plan.slicesPerRound)} a round, with the repeated control`,
    `a round: about ${formatDuration(Math.round(plan.roundMs / 1000) * 1000)}, of which ${warmupOf(load, plan.arms)}`,
    `rounds: ${min === max ? `${max}` : `${min} to ${max}`}${limit}: about ${plan.rounds}, fewer where all verdicts come earlier`,
    `expected: at most ${minutes(plan.totalMs)}`,
  ];
  if (plan.rounds < LEAST_ROUNDS) lines.push(`no verdicts: they start at ${LEAST_ROUNDS} rounds`);
  else if (plan.totalMs > budgetMs) lines.push('one round alone takes longer than the budget');
  if (plan.rounds >= LEAST_ROUNDS) lines.push(detectableLine(scenario, plan.rounds));
  return `${lines.join('\n')}\n`;
}

function warmupOf(load: ResolvedScenario['load'], arms: number): string {
  const time = formatDuration(arms * warmupTimeMs(load));
  const { warmupRequests } = load;
  if (warmupRequests === undefined || load.bulk !== undefined) return `${time} warm-up`;
  return `at most ${time} warm-up (${warmupRequests.toLocaleString('en-US')} requests an arm, once more chosen after the first round)`;
}

function lastRunFor({ name }: ResolvedScenario): LastRun | null {
  return lastRun(RESULTS, name, thisMachine());
}

function detectableLine(scenario: ResolvedScenario, rounds: number): string {
  const last = lastRunFor(scenario);
  if (last === null) return `how small an effect it can see is not known: no run on this machine is in ${RESULTS}/`;
  const percent = Number(detectableAfter(last, rounds).toPrecision(2));
  return `after ${rounds} rounds effects of about ${percent} % can be seen, going by ${last.folder} (${last.rounds} rounds on this machine)`;
}

function slicesOf({ load }: ResolvedScenario, slices: number): string {
  const first = load.autoSlice === true ? ' (in the first round, then as arms scatter)' : '';
  if (load.bulk === undefined)
    return `${slices} slices of ${formatDuration(load.sliceMs)}${first}${turnsOf(load.turn)}`;
  const { dataset, connections } = load.bulk;
  const what = dataset.kind === 'template' ? `${dataset.documents} documents of ${dataset.template}` : dataset.folder;
  return `${slices} slices: bulk loads of ${what} with ${connections} connections, and reads of ${formatDuration(load.sliceMs)}`;
}

function turnsOf(turn: ResolvedScenario['load']['turn'] = 'auto'): string {
  if (turn === 'off') return ', each in one stretch';
  return turn === 'auto' ? ', in turns by latency (25 of it, at least 50 ms)' : `, in turns of ${formatDuration(turn)}`;
}

function armNote(scenario: ResolvedScenario, { name, treatment }: Variant, repeat: boolean): string {
  if (repeat) return '  the control again: what differs here is noise';
  const changes = plannedChanges(treatment);
  const notes = [
    ...(name === scenario.control ? ['control'] : []),
    ...(changes.length > 0 ? [changes.join(', ')] : []),
  ];
  return notes.length === 0 ? '' : `  ${notes.join(': ')}`;
}

function resetLines({ target, stack }: ResolvedScenario): string[] {
  if (target.kind === 'url') return [];
  const search = stack.opensearch ? ', indices in OpenSearch' : '';
  return [`in every round each arm gets a copy of the loaded database, a process of the service${search} of its own`];
}

function serverLines(scenario: ResolvedScenario, perRound: number): string[] {
  if (perRound === 0) return [];
  const servers = variantsByServer(scenario);
  const others = scenario.variants.some(({ treatment }) => treatment?.postgres !== undefined);
  const why =
    scenario.rounds.restart === 'server'
      ? 'as rounds.restart asks'
      : `since ${others ? 'some variants have a Postgres of their own' : 'some settings need a restart'}`;
  const shared = servers.get('')?.length ?? 0;
  const own = [...servers].flatMap(([key, variants]) =>
    key === '' ? [] : [variants.map(({ name }) => name).join(', ')],
  );
  return [
    `Postgres servers (${perRound}), all started fresh in every round, ${why}`,
    ...own.map((names) => `  own server: ${names}`),
    ...(shared === 0 ? [] : ['  one server for all others']),
  ];
}

function fetchLines(scenario: ResolvedScenario): string[] {
  return versionsToFetch(scenario).map(
    (version) =>
      `Postgres ${version} is not on this machine: without containers, npm fetches it first (once, about 60 MB)`,
  );
}
