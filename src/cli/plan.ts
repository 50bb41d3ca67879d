import { ExitCode } from '../base/errors.ts';
import { asSentence } from '../base/present.ts';
import { maskKnown } from '../base/secrets.ts';
import { formatDuration, formatDurations } from '../base/units.ts';
import { levelLabels } from '../journal/capacity/run-levels.ts';
import { hasPostgres, needsPostgres } from '../journal/link/own-database.ts';
import { areSeen } from '../journal/live-switch.ts';
import { withoutSecrets } from '../journal/run/secret-leaves.ts';
import { isGenerated } from '../journal/sample.ts';
import type { ResolvedScenario, Variant } from '../journal/scenario-record.ts';
import { areOneProcess } from '../journal/variant-parts.ts';
import { type Estimate, restartTimeMs } from '../measure/plan/estimate.ts';
import { VERDICT_ROUNDS } from '../measure/plan/least-rounds.ts';
import { levelPlan } from '../measure/plan/level-plan.ts';
import { warmupTimeMs } from '../measure/plan/load-time.ts';
import { armsWithCopies, needOfOwnServers } from '../measure/plan/own-servers.ts';
import { switchTimeMs, turnsPerSlice } from '../measure/plan/pass-costs.ts';
import { planRun, type RunPlan, unknownCosts } from '../measure/plan/run-plan.ts';
import { scenarioWarnings } from '../measure/plan/scenario-warnings.ts';
import { heaviestLevels } from '../measure/plan/warmup-length.ts';
import { takesWholeSlices, wholeSliceMs } from '../measure/plan/whole-slices.ts';
import { type Checked, checkRun } from '../measure/run/preflight/check.ts';
import { planConnections } from '../measure/run/preflight/connections.ts';
import { thisMachine } from '../measure/run/provenance.ts';
import { defaultRunFolder, RESULTS } from '../measure/run/run-folder.ts';
import { versionsToFetch } from '../measure/run/servers/postgres-versions.ts';
import { type PlannedStack, plannedStack } from '../measure/run/servers/session-stack.ts';
import { type StackName, stackKinds } from '../measure/stack/kinds.ts';
import { serverSettings } from '../measure/treatment/kinds/settings.ts';
import { stepsOf } from '../measure/treatment/kinds.ts';
import { partChanges, sharedPartFacts } from '../report/parts/parts.ts';
import { againstLines } from '../report/words/against.ts';
import { plannedHousekeeping } from '../report/words/housekeeping.ts';
import { searchedLines } from '../report/words/search-words.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { plannedAgainst, preparedAgainst } from './against/compare.ts';
import { type AgainstOptions, againstAsked } from './against/options.ts';
import { datasetTitle } from './dataset-title.ts';
import { renderFindings } from './doctor.ts';
import type { Io } from './io.ts';
import { detectableAfter, type LastRun, lastRun } from './last-run.ts';
import type { NoFileOptions } from './no-file/options.ts';
import { scenarioWithoutFile } from './no-file/scenario.ts';
import { OWN_SCENARIO } from './options.ts';
import { applyOverrides, type Overrides } from './overrides.ts';
import { lengthLines } from './plan-length.ts';
import { progressFor } from './progress/progress-for.ts';
import { warningLine } from './progress/warning-words.ts';
import { type StackOptions, stackChoice } from './stack-options.ts';

/** Options of the command line. */
export interface PlanOptions extends Overrides, StackOptions, NoFileOptions, AgainstOptions {
  readonly check?: boolean;
  readonly checkControl?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** How long `--check` watches for other load, as the doctor does by default. */
const WATCH_MS = 3000;

/** Prints the plan of `file`, null where the options replace the file; with --check also the findings. Returns the exit code. */
export async function runPlan(file: string | null, options: PlanOptions, io: Io): Promise<ExitCode> {
  if (options.print === true) {
    io.out(scenarioWithoutFile(options, OWN_SCENARIO).text);
    return ExitCode.done;
  }
  const asked =
    file === null ? scenarioWithoutFile(options, OWN_SCENARIO).scenario : loadScenario(file, againstAsked(options));
  const isChecked = options.check || options.checkControl;
  const overridden = applyOverrides(asked, options);
  const scenario = await (isChecked ? preparedAgainst(overridden, file, {}, io) : plannedAgainst(overridden));
  for (const warning of scenarioWarnings(scenario)) io.err(`${warningLine(warning)}\n`);
  const planned = plannedStack(scenario, stackChoice(options));
  // A stack that is not available is one of the findings.
  const stack = await (isChecked ? planned.catch(() => null) : planned);
  const checked = isChecked ? await check(scenario, options, io) : null;
  const plan = checked?.plan ?? planRun(scenario, { kind: stack?.kind ?? unknownCosts.kind, costs: null });
  if (plan.short !== null) io.err(`${warningLine({ kind: 'short-rounds', ...plan.short })}\n`);
  io.out(options.json ? planJson(plan, stack, checked) : describePlan(plan, stack));
  if (checked === null) {
    warnOfConnections(scenario, stack, io);
    return ExitCode.done;
  }
  if (!options.json) io.out(`\n${renderFindings(checked.findings)}`);
  if (checked.error !== null) return checked.error.exitCode;
  return checked.findings.some(({ state }) => state === 'problem') ? ExitCode.unfit : ExitCode.done;
}

/** Throws PgsweepError('scenario') where the pools cannot fit, with the same words as a sweep before it starts anything. */
function warnOfConnections(scenario: ResolvedScenario, stack: PlannedStack | null, io: Io): void {
  const findings = stack === null ? [] : planConnections(scenario, stack.kind);
  for (const { state, found, advice } of findings)
    if (state !== 'ok') io.err(`warning: ${asSentence(found)}. ${advice ?? ''}\n`);
}

async function check(scenario: ResolvedScenario, options: PlanOptions, io: Io): Promise<Checked> {
  const progress = progressFor({ quiet: options.json ?? false }, io);
  try {
    return await checkRun({
      scenario,
      stackChoice: stackChoice(options),
      out: options.out ?? defaultRunFolder(scenario.name, new Date()),
      watchMs: WATCH_MS,
      ...(options.quick && { quick: true }),
      ...(!options.checkControl && { everyVariant: true }),
      emit: (event) => progress.on(event),
      signal: io.signal,
    });
  } finally {
    progress.close();
  }
}

function planJson(planned: RunPlan, stack: PlannedStack | null, checked: Checked | null): string {
  const { scenario, estimate: plan } = planned;
  const arms = planned.arms.map(({ name, repeat }) => ({ name, repeat }));
  const lastRun = lastRunFor(scenario);
  const detectablePercent = lastRun && plan.rounds >= VERDICT_ROUNDS ? detectableAfter(lastRun, plan.rounds) : null;
  const { masked } = withoutSecrets(scenario, null);
  const all = {
    scenario: masked,
    stack,
    ...plan,
    arms,
    detectablePercent,
    lastRun,
    ...(checked && { findings: checked.findings }),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function describePlan({ scenario, arms, estimate: plan }: RunPlan, stack: PlannedStack | null): string {
  const { load, rounds } = scenario;
  const levels = levelLabels(load);
  const lines = [
    scenario.title,
    '',
    ...againstLines(scenario),
    ...(stack === null ? [] : [`stack: ${stack.kind} (${stack.reason})`]),
    `arms (${plan.arms})`,
    ...arms.map(({ name, repeat, variant }) => `  ${name}${armNote(scenario, variant, repeat)}`),
    ...searchedLines(scenario.tune),
    ...(levelPlan(load).areFixed
      ? [`load levels (${levels.length})`, ...levels.map((level) => `  ${level}`)]
      : [`load levels: found in each round, ${levels.join()}`]),
    ...sharedPartFacts(scenario.variants, load.levels).map((fact) => fact.join(': ')),
    ...serverLines(scenario, stack?.kind),
    ...housekeepingLines(scenario, stack),
    ...fetchLines(scenario),
    ...(areOneProcess(scenario) ? liveLines(scenario, plan) : resetLines(scenario)),
    `cells: ${plan.cells}, each in every round; ${levelPlan(load).areFixed ? '' : 'about '}${slicesOf(scenario, plan.slicesPerRound)} a round, with the repeated control`,
    `a round: ${roundTime(plan)}, including ${warmupOf(scenario, plan.arms)}`,
    ...lengthLines(scenario, plan),
  ];
  if (plan.rounds < VERDICT_ROUNDS) lines.push(`no verdicts: they start at ${VERDICT_ROUNDS} rounds`);
  else if (plan.totalMs > (rounds.settleWithinMs ?? rounds.budgetMs))
    lines.push('one round alone takes longer than the budget');
  if (plan.rounds >= VERDICT_ROUNDS) lines.push(detectableLine(scenario, plan.rounds));
  return `${maskKnown(lines.join('\n'))}\n`;
}

/** `about 1 min 28 s`; of a search `1 min to 3 min 50 s, and the first one 1 min 20 s to 4 min 20 s, by where the limits lie` */
function roundTime({ roundMs, bounds }: Estimate): string {
  if (bounds === undefined) return `about ${formatDuration(Math.round(roundMs / 1000) * 1000)}`;
  return `${formatDurations(bounds.roundMs)}, and the first one ${formatDurations(bounds.firstRoundMs)}, by where the limits lie`;
}

function warmupOf(scenario: ResolvedScenario, arms: number): string {
  const { load } = scenario;
  const [processes, whose] = areOneProcess(scenario) ? [1, 'of all arms together'] : [arms, 'an arm'];
  const time = formatDuration(processes * warmupTimeMs(load));
  const { warmupRequests } = load;
  const warmed = heaviestLevels(load.levels);
  if (warmupRequests === undefined || warmed.length === 0) return `${time} warm-up`;
  return `at most ${time} warm-up (${warmupRequests.toLocaleString('en-US')} requests ${whose}${warmed.length > 1 ? ` for each of ${warmed.length} workloads` : ''}, chosen again after the first round)`;
}

function lastRunFor({ name }: ResolvedScenario): LastRun | null {
  return lastRun(RESULTS, name, thisMachine());
}

function detectableLine(scenario: ResolvedScenario, rounds: number): string {
  const last = lastRunFor(scenario);
  if (last === null) return `smallest effect that it can see: not known, ${RESULTS}/ has no run on this machine`;
  const percent = Number(detectableAfter(last, rounds).toPrecision(2));
  return `after ${rounds} rounds effects of about ${percent} % can be seen, judging by ${last.folder} (${last.rounds} rounds on this machine)`;
}

function slicesOf({ load }: ResolvedScenario, slices: number): string {
  const { bounded, job } = load;
  if (bounded !== undefined && job !== undefined) {
    const runs = bounded.count === 1 ? 'one run' : `${bounded.count} runs`;
    return `${slices} slices: ${runs} of the job in each, of at most ${formatDuration(bounded.limitMs)}`;
  }
  if (bounded !== undefined)
    return `${slices} slices of ${bounded.count.toLocaleString('en-US')} requests, each in one stretch of at most ${formatDuration(bounded.limitMs)}`;
  const levels = levelPlan(load).expected;
  const times = levels.map((level) => wholeSliceMs(load, level));
  if (levels.every((level) => takesWholeSlices(load, level)))
    return `${slices} slices of ${[...new Set(times.map((ms) => formatDuration(Math.round(ms))))].join(', ')}, each in one stretch`;
  const first = load.autoSlice === true ? ' (in the first round, then set by scatter)' : '';
  if (load.bulk === undefined)
    return `${slices} slices of ${formatDuration(load.sliceMs)}${first}${turnsOf(load.turn)}`;
  const { dataset, connections } = load.bulk;
  const what = isGenerated(dataset) ? `${dataset.documents} documents of ${dataset.template}` : datasetTitle(dataset);
  return `${slices} slices: bulk loads of ${what} with ${connections} connections, and reads of ${formatDuration(load.sliceMs)}`;
}

function turnsOf(turn: ResolvedScenario['load']['turn'] = 'auto'): string {
  if (turn === 'off') return ', each in one stretch';
  return turn === 'auto' ? ', in turns by latency (25 of it, at least 50 ms)' : `, in turns of ${formatDuration(turn)}`;
}

function armNote(scenario: ResolvedScenario, variant: Variant, repeat: boolean): string {
  const { name, treatment } = variant;
  if (repeat) return '  the control again: a difference to it is noise';
  if (scenario.variants.every((one) => one.name !== name)) return '  a setting that the search proposes';
  const changes = [...stepsOf(treatment).map(({ words }) => words), ...partChanges(variant)];
  const notes = [
    ...(name === scenario.control ? ['control'] : []),
    ...(changes.length > 0 ? [changes.join(', ')] : []),
  ];
  return notes.length === 0 ? '' : `  ${notes.join(': ')}`;
}

function liveLines(scenario: ResolvedScenario, { arms, passesPerRound }: Estimate): string[] {
  const turns = turnsPerSlice(scenario, arms);
  const { settleMs = 0 } = scenario.load;
  const perRound = passesPerRound * arms * turns;
  const how = areSeen(scenario.variants)
    ? 'seen before its turn'
    : 'answered with 2xx before its turn (verify: would see more)';
  const least = turns === 2 ? 'in one block' : `in blocks, about ${turns / 2} a load level`;
  return [
    `switched live: in every round one process of the service and one database for all arms`,
    `  ${least}, each arm once forwards and once backwards; a round counts once, however many blocks it has`,
    `  about ${perRound} switches a round, each ${how}, with ${formatDuration(settleMs)} of load after it that is not counted: ${formatDuration(Math.round((perRound * switchTimeMs(scenario)) / 1000) * 1000)}`,
  ];
}

function resetLines({ target, stack, variants }: ResolvedScenario): string[] {
  if (target.kind === 'url') return [];
  const search = stack.opensearch ? ', indices in OpenSearch' : '';
  if (target.kind === 'none') return ['in every round each arm gets its own copy of the loaded database'];
  const service = target.kind === 'services' ? Object.keys(target.services).join(', ') : 'service';
  const without = variants.filter((variant) => !hasPostgres(variant));
  const copy = without.length === variants.length ? '' : 'copy of the loaded database, ';
  const resets = variants.filter(({ reset }) => reset !== undefined);
  const named = (some: readonly Variant[]): string => some.map(({ name }) => name).join(', ');
  return [
    `in every round each arm gets its own: ${copy}process of the ${service}${search}`,
    ...(without.length === 0 ? [] : [`  without Postgres: ${named(without)}`]),
    ...(resets.length === 0 ? [] : [`  data restored by a command before each start: ${named(resets)}`]),
  ];
}

function serverLines(scenario: ResolvedScenario, kind: StackName = 'embedded'): string[] {
  const arms = armsWithCopies(scenario);
  const need = needOfOwnServers(scenario);
  const every = (servers: number): string =>
    servers === 1
      ? 'a Postgres server, started fresh in every round'
      : `${servers} Postgres servers, one for each arm, all started fresh in every round`;
  if (need === 'restart') return [`${every(arms.length)}, as rounds.restart asks`];
  if (need !== null) {
    return [`${every(arms.length)}, since ${whyOwnServers(scenario)}`];
  }
  if (arms.length < 2 || !needsPostgres(scenario) || !stackKinds[kind].own) return [];
  const seconds = formatDuration(restartTimeMs(arms, kind));
  return [
    `one Postgres server for all arms while their copies fit in its shared_buffers together; else one for each (${seconds} more a round)`,
  ];
}

function whyOwnServers({ variants }: ResolvedScenario): string {
  if (variants.some(({ treatment }) => treatment?.postgres !== undefined))
    return 'some variants have their own Postgres';
  const hasSettings = variants.some(({ treatment }) => serverSettings(treatment).length > 0);
  return hasSettings ? 'some settings need a restart' : 'sql of some variant reaches beyond its database';
}

function housekeepingLines({ target, variants, stack }: ResolvedScenario, planned: PlannedStack | null): string[] {
  if (target.kind === 'url' || !variants.some(hasPostgres)) return [];
  return [`Postgres's housekeeping: ${plannedHousekeeping(stack.postgres, planned?.kind !== 'external')}`];
}

function fetchLines(scenario: ResolvedScenario): string[] {
  return versionsToFetch(scenario).map(
    (version) =>
      `Postgres ${version} is not on this machine: without containers, npm fetches it first (once, about 60 MB)`,
  );
}
