import { join, resolve } from 'node:path';
import { ExitCode, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { isUnwritten } from '../base/files/disk.ts';
import { completeRounds, followJournal, type Journal, readJournal, roundsLeftOpen } from '../journal/journal.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { elsewhere } from '../journal/service/elsewhere.ts';
import { createTuneRule } from '../judge/tune/tune-rule.ts';
import type { Asked as AskedOfRun } from '../judge/verdicts/asked.ts';
import { createStopRule, mayArmsLeave, needsProbes, type StopRule } from '../judge/verdicts/stop-rule.ts';
import { keepSides } from '../measure/against/take-sides.ts';
import { shardedScenario } from '../measure/plan/shards.ts';
import {
  createRunFolder,
  defaultRunFolder,
  type RunFolder,
  removeUnused,
  requireFree,
  runFolderAt,
} from '../measure/run/run-folder.ts';
import { runSession, type SessionOptions } from '../measure/run/session.ts';
import type { HeadOptions } from '../measure/run/session-head.ts';
import { machineOf } from '../measure/run/this-machine.ts';
import type { RunWarning } from '../measure/run/warnings.ts';
import { branchWork } from '../report/words/branch-answer.ts';
import { askedOptions, serverOptions } from '../report/words/commands.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { restoredScenario } from '../scenario/restored-scenario.ts';
import { adviceAfter } from './advice.ts';
import { comparedAgain, preparedAgainst, withCarryHint } from './against/compare.ts';
import { type AgainstOptions, againstAsked } from './against/options.ts';
import { type RemoteOption, requireAllowed, requireAllowedAgain, withAllowed } from './allow-remote.ts';
import { createGrowingReport } from './growing-report.ts';
import type { Io } from './io.ts';
import type { NoFileOptions } from './no-file/options.ts';
import { nameWithoutFile, scenarioWithoutFile } from './no-file/scenario.ts';
import { OWN_SCENARIO } from './options.ts';
import { applyOverrides, lengthOptions, type Overrides, resumedWith } from './overrides.ts';
import { progressFor } from './progress/progress-for.ts';
import type { GateOptions } from './report/gate-option.ts';
import { finishSession, gateChoice, requireGatesOf } from './report/gates.ts';
import type { StyleOption } from './report/style-option.ts';
import { type ShardOption, shardAsked } from './shard-option.ts';
import { applyShare, type ShareOption } from './share.ts';
import { type Shown, showReport } from './show-report.ts';
import { type StackOptions, stackChoice } from './stack-options.ts';

/** Options of the command line. */
export interface SweepOptions
  extends Overrides,
    StackOptions,
    RemoteOption,
    ShareOption,
    GateOptions,
    NoFileOptions,
    AgainstOptions,
    ShardOption,
    StyleOption {
  readonly out?: string;
  readonly seed?: number;
  readonly interval: number;
  readonly resume?: string;
  readonly size?: boolean;
  readonly settle?: 'all';
  /** Set where the scenario has to name a space. */
  readonly tune?: true;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly full?: boolean;
}

/** A new or a resumed run. */
interface Run extends HeadOptions {
  readonly warnings: readonly RunWarning[];
}

/** Runs a sweep of `file`; null where the options replace the file. Returns the exit code. Throws PgsweepError. */
export async function runSweep(file: string | null, options: SweepOptions, io: Io): Promise<ExitCode> {
  if (options.print === true) {
    io.out(scenarioWithoutFile(options, OWN_SCENARIO).text);
    return ExitCode.done;
  }
  // Before the run folder is made.
  stackChoice(options);
  applyShare(options);
  const run = options.resume === undefined ? await newRun(file, options, io) : resumedRun(options.resume, options);
  return sweep(run, options, io);
}

/** `file` is null where the options replace the scenario file. */
async function newRun(file: string | null, options: SweepOptions, io: Io): Promise<Run> {
  const { scenario: asked, path, write } = file === null ? askedByOptions(options) : askedByFile(file, options);
  if (options.tune && asked.tune === undefined) {
    throw new PgsweepError('usage', `${file} names no space to search`, {
      hint: 'Add one in place of sweep or variants: tune: { pool: { env: POOL_MAX, range: [1, 100] } }',
    });
  }
  const shard = options.shard && { ...shardAsked(options.shard, process.env), machine: machineOf() };
  const whole = await preparedAgainst(applyOverrides(asked, options), file, options, io);
  const scenario = withAllowed(shard ? shardedScenario(whole, shard.count) : whole, options);
  requireAllowed(scenario.target, scenario.variants, options);
  requireGatesOf(gateChoice(options), scenario);
  const folder = createRunFolder(path);
  write();
  if (scenario.against?.taken !== undefined) keepSides(scenario.against.taken, folder.path);
  return {
    scenario,
    seed: options.seed ?? (shard ? SEED_OF_SHARDS : Math.floor(Math.random() * 2 ** 32)),
    quick: options.quick ?? false,
    folder,
    resume: null,
    ...(shard && { shard }),
    warnings: [],
  };
}

/** Shards of a plan start independently, so their seed is fixed. */
const SEED_OF_SHARDS = 1;

/** A scenario, its run folder, and how to write the scenario file there. */
interface Asked {
  readonly scenario: ResolvedScenario;
  readonly path: string;
  readonly write: () => void;
}

function askedByFile(file: string, options: SweepOptions): Asked {
  const scenario = loadScenario(file, againstAsked(options));
  return { scenario, path: options.out ?? defaultRunFolder(scenario.name, new Date()), write: () => {} };
}

function askedByOptions(options: SweepOptions): Asked {
  const name = nameWithoutFile(options);
  const path = options.out ?? defaultRunFolder(name, new Date());
  const file = join(path, `${name}.yaml`);
  const { scenario, text } = scenarioWithoutFile(options, file);
  return { scenario, path, write: () => writeFileAtomic(file, text) };
}

function resumedRun(path: string, options: SweepOptions): Run {
  // The path as it was at the start: under it the run recorded the processes that it started.
  const folder = runFolderAt(resolve(path));
  requireFree(path);
  const journal = readJournal(folder.journal);
  const { seed, quick, shard, merged } = journal.run;
  if (merged !== undefined) {
    throw new PgsweepError('usage', `${path} was merged from shards, and cannot be resumed`, {
      hint: 'Resume the shard that lacks rounds, then merge all of them again.',
    });
  }
  if (shard !== undefined && (options.rounds ?? options.budget) !== undefined) {
    throw new PgsweepError('usage', `${path} is shard ${shard.index} of ${shard.count}, whose rounds are fixed`, {
      hint: 'Leave out --rounds and --budget: a shard runs until its last round.',
    });
  }
  const { scenario, warnings } = restoredScenario(journal.run, comparedAgain(journal.run.scenario));
  if (scenario.against?.taken !== undefined) keepSides(scenario.against.taken, folder.path);
  requireAllowed(scenario.target, scenario.variants, options);
  requireAllowedAgain(scenario, options);
  requireGatesOf(gateChoice(options), scenario);
  // A resumed run has its own budget: the time since the interruption does not count.
  const again = withAllowed(resumedWith(scenario, options, roundsLeftOpen(journal)), options);
  const here = shard && { shard: { ...shard, machine: machineOf() } };
  return { scenario: again, seed, quick, folder, resume: journal, ...here, warnings };
}

async function sweep(run: Run, options: SweepOptions, io: Io): Promise<ExitCode> {
  const progress = progressFor(options, io);
  let told: string | null = null;
  const growing = createGrowingReport(run.folder, askedBy(options), {
    seen(summary) {
      const work = branchWork(summary);
      // The first round says it, and the others only count better.
      if (told === null && work !== null) progress.on({ kind: 'preparing', message: `so far: ${work}` });
      told ??= work;
    },
  });
  const onInterrupt = (): void =>
    progress.on({ kind: 'preparing', message: 'stopping servers and services (interrupt again to exit at once)' });
  io.signal.addEventListener('abort', onInterrupt, { once: true });
  for (const warning of run.warnings) progress.on({ kind: 'warning', warning });
  try {
    await runSession({
      ...run,
      stackChoice: stackChoice(options),
      intervalMs: options.interval,
      decideStop: stopRuleOf(run, options),
      allStay: !mayArmsLeave(run.scenario, askedBy(options)),
      emit(event) {
        progress.on(event);
        growing.on(event);
      },
      signal: io.signal,
    });
  } catch (error) {
    progress.close();
    throw await withKeptRunHint(error, run, options, io);
  } finally {
    progress.close();
    growing.close();
  }
  const summary = await showReport(run.folder.path, readJournal(run.folder.journal), shown(options), io);
  // An unfit shard is judged when it is merged. With another exit code, a scheduler would run it again.
  return run.shard === undefined ? finishSession(summary, io) : ExitCode.done;
}

function shown(options: SweepOptions): Shown {
  const { json = false, full = false, style } = options;
  return { json, full, style, gates: askedBy(options) };
}

function askedBy({ size = false, settle, ...options }: SweepOptions): AskedOfRun {
  return { size, all: settle === 'all', ...gateChoice(options) };
}

/** The stop rule of a run. It reads from the journal what each round added. */
function stopRuleOf({ folder, scenario, shard }: Run, options: SweepOptions): SessionOptions['decideStop'] {
  // The length of a shard is fixed, whatever it finds.
  if (shard !== undefined) return () => ({ stop: false, undecided: null });
  const follow = followJournal(folder.journal, {
    probes: needsProbes(gateChoice(options).gates, scenario) ? 'read' : 'left out',
  });
  const asked = askedBy(options);
  let rule: StopRule | null = null;
  return (_, isEnd, roundsLeft) => {
    const { run, records } = follow();
    const { tune } = run.scenario;
    // A resumed search may have more rounds than it was planned with.
    const own = { ...run, scenario: { ...run.scenario, rounds: { ...run.scenario.rounds, max: scenario.rounds.max } } };
    rule ??= tune === undefined ? createStopRule(run, asked) : createTuneRule(own, tune, asked);
    return rule.after(records, isEnd, roundsLeft);
  };
}

/** The error, with what was kept and how to continue; reports the finished rounds before. */
async function withKeptRunHint(thrown: unknown, run: Run, options: SweepOptions, io: Io): Promise<unknown> {
  const error = await withCarryHint(thrown, run.scenario);
  if (!(error instanceof PgsweepError)) return error;
  const { folder, resume } = run;
  const found = await reportFinishedRounds(folder, options, io);
  if (found === null) removeUnused(folder.made);
  const before = resume === null ? 0 : completeRounds(resume);
  const searches = run.scenario.tune !== undefined;
  const { gates, unclear, all = false, size = false } = askedBy(options);
  // Before its session is in the journal, only the command knows how far a resumed run was to go.
  const length = resume === null ? '' : lengthOptions(options);
  const others = askedOptions({
    gates: gates.map(({ text }) => text),
    ...(unclear === 'pass' && { unclear }),
    ...(size && { size }),
    ...(all && { all }),
  });
  const asked = `${length}${others}`;
  const ended = { code: error.code, before, folder: folder.path, searches, asked, written: found?.unwritten === null };
  const advice = adviceAfter({ ...ended, rounds: found?.rounds ?? null, servers: found?.servers ?? '' });
  const hint = error.hint === undefined ? advice : `${error.hint}\n${advice}`;
  return new PgsweepError(error.code, error.message, { hint, cause: error });
}

/** Finished rounds of a run that ended too early. */
interface Finished {
  readonly rounds: number;
  /** The error if report files could not be written. */
  readonly unwritten: PgsweepError | null;
  /** Options that resume it on its servers and machines. */
  readonly servers: string;
}

/** Reports the finished rounds; null if the run had not begun. */
async function reportFinishedRounds(folder: RunFolder, options: SweepOptions, io: Io): Promise<Finished | null> {
  let journal: Journal;
  let rounds: number;
  try {
    journal = readJournal(folder.journal);
    rounds = completeRounds(journal);
  } catch {
    return null;
  }
  const { scenario, provenance } = journal.run;
  const found = { rounds, unwritten: null, servers: serverOptions({ run: elsewhere(scenario), provenance }) };
  if (rounds === 0) return found;
  try {
    await showReport(folder.path, journal, shown(options), io);
    return found;
  } catch (error) {
    if (isUnwritten(error)) return { ...found, unwritten: error };
    throw error;
  }
}
