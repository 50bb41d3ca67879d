import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { ExitCode, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { completeRounds, followJournal, type Journal, readJournal } from '../journal/journal.ts';
import type { ShardRecord } from '../journal/run/shard-records.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import {
  createStopRule,
  mayArmsLeave,
  needsProbes,
  type StopOptions,
  type StopRule,
} from '../judge/verdicts/stop-rule.ts';
import { shardedScenario } from '../measure/plan/shards.ts';
import {
  createRunFolder,
  defaultRunFolder,
  type RunFolder,
  removeUnused,
  runFolderAt,
} from '../measure/run/run-folder.ts';
import { runSession, type SessionOptions } from '../measure/run/session.ts';
import { machineOf } from '../measure/run/this-machine.ts';
import type { RunWarning } from '../measure/run/warnings.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { restoredScenario } from '../scenario/restored-scenario.ts';
import { adviceAfter } from './advice.ts';
import { type RemoteOption, requireAllowed, withAllowed, withRemoteOption } from './allow-remote.ts';
import type { Io } from './io.ts';
import { isWithoutFile, type NoFileOptions, noFileNames, withNoFileOptions } from './no-file/options.ts';
import { nameWithoutFile, scenarioWithoutFile } from './no-file/scenario.ts';
import {
  applyOverrides,
  countOption,
  defaultScenario,
  durationOption,
  type Overrides,
  OWN_SCENARIO,
  seedOption,
} from './options.ts';
import { progressFor } from './progress/progress-for.ts';

import { finishSession, type GateOptions, gateChoice, requireGatesOf, withGateOptions } from './report/gate-option.ts';

import { type StyleOption, withStyleOption } from './report/style-option.ts';
import { type ShardOption, shardAsked, withShardOption } from './shard-option.ts';
import { applyShare, type ShareOption, withShareOption } from './share.ts';
import { type Shown, showReport } from './show-report.ts';
import { type StackOptions, stackChoice, withStackOptions } from './stack-options.ts';

interface SweepOptions
  extends Overrides,
    StackOptions,
    RemoteOption,
    ShareOption,
    GateOptions,
    NoFileOptions,
    ShardOption,
    StyleOption {
  readonly out?: string;
  readonly seed?: number;
  readonly interval: number;
  readonly resume?: string;
  readonly size?: boolean;
  readonly settle?: 'all';
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly full?: boolean;
}

/** A run to be made or to be gone on with. */
interface Run {
  readonly scenario: ResolvedScenario;
  readonly seed: number;
  readonly quick: boolean;
  readonly folder: RunFolder;
  readonly resume: Journal | null;
  readonly shard?: ShardRecord;
  readonly warnings: readonly RunWarning[];
}

export function sweepCommand(io: Io, finish: (code: ExitCode) => void): Command {
  const command = withGateOptions(
    withStyleOption(withShareOption(withRemoteOption(withStackOptions(new Command('sweep'))))),
  )
    .argument('[scenario]', 'scenario file; pgsweep.yaml where it is', defaultScenario())
    .option('--quick', 'one short round, under 90 s for the default scenario; gives no verdicts')
    .option('--out <dir>', 'run folder (default: results/SCENARIO-TIME)')
    .option('--rounds <n>', 'as many rounds, no more and no fewer', countOption)
    .option('--budget <duration>', 'how long the whole run may take (default: as in the scenario, 10m)', durationOption)
    .option('--size', 'go on until each change is known closely enough to quote its size')
    .addOption(
      new Option(
        '--settle <what>',
        'all: go on until every change has its verdict, where the question is which setting to take',
      ).choices(['all']),
    )
    .option('--seed <n>', 'seed of all shuffles and requests (default: a new one; of shards 1)', seedOption)
    .addOption(
      new Option('--interval <duration>', 'how often pg_stat_database is sampled')
        .argParser(durationOption)
        .default(5000, '5s'),
    )
    .addOption(
      new Option('--resume <dir>', 'go on with a run that was interrupted, or is to be longer').conflicts([
        'out',
        'seed',
        'quick',
        ...noFileNames,
      ]),
    )
    .option('--quiet', 'no progress')
    .option('--full', 'print all tables, not the first screen alone')
    .option('--json', 'print the summary as JSON');
  return withNoFileOptions(withShardOption(command, ['resume', 'quick', 'size', 'settle', 'gate']))
    .addHelpText(
      'after',
      "\nBefore the first round it looks at the machine, the service, connections and the budget: pgsweep plan --check does just that.\n\nExamples:\n  pgsweep sweep\n  pgsweep sweep --quick\n  pgsweep sweep my-service.yaml --budget 30m --out results/mine\n  pgsweep sweep --resume results/mine\n  pgsweep sweep main-against-branch.yaml --gate 'rps > -5%' --gate 'p99_ms < +10%'\n  pgsweep sweep --shard 3/8 --rounds 24 --out shards/3 && pgsweep merge shards/*\n  pgsweep sweep --command 'node server.mjs' --env POOL_MAX=10,20,40 --get '/items?limit=10' --sql schema.sql\n\nThe scenario of a sweep without a file is written into its run folder.",
    )
    .action(async (file: string, options: SweepOptions, { args }: Command) => {
      const withoutFile = isWithoutFile(options, args);
      if (options.print === true) return io.out(scenarioWithoutFile(options, OWN_SCENARIO).text);
      // Before the run folder is made.
      stackChoice(options);
      applyShare(options);
      const run =
        options.resume === undefined ? newRun(withoutFile ? null : file, options) : resumedRun(options.resume, options);
      finish(await sweep(run, options, io));
    });
}

/** `file` is null where the options say what is swept. */
function newRun(file: string | null, options: SweepOptions): Run {
  const { scenario: asked, path, write } = file === null ? askedByOptions(options) : askedByFile(file, options);
  const shard = options.shard && { ...shardAsked(options.shard, process.env), machine: machineOf() };
  const whole = applyOverrides(asked, options);
  const scenario = withAllowed(shard ? shardedScenario(whole, shard.count) : whole, options);
  requireAllowed(scenario.target, scenario.variants, options);
  requireGatesOf(gateChoice(options), scenario);
  const folder = createRunFolder(path);
  write();
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

/** Shards of a plan have one seed, and nobody who could tell them which. */
const SEED_OF_SHARDS = 1;

/** A scenario, the folder of its run, and what is written there first. */
interface Asked {
  readonly scenario: ResolvedScenario;
  readonly path: string;
  readonly write: () => void;
}

function askedByFile(file: string, { out }: SweepOptions): Asked {
  const scenario = loadScenario(file);
  return { scenario, path: out ?? defaultRunFolder(scenario.name, new Date()), write: () => {} };
}

function askedByOptions(options: SweepOptions): Asked {
  const name = nameWithoutFile(options);
  const path = options.out ?? defaultRunFolder(name, new Date());
  const file = join(path, `${name}.yaml`);
  const { scenario, text } = scenarioWithoutFile(options, file);
  return { scenario, path, write: () => writeFileAtomic(file, text) };
}

function resumedRun(path: string, options: SweepOptions): Run {
  // As when it was made: by that name the run before has written down what it started.
  const folder = runFolderAt(resolve(path));
  const journal = readJournal(folder.journal);
  const { seed, quick, shard, merged } = journal.run;
  if (merged !== undefined) {
    throw new PgsweepError('usage', `${path} was merged from shards, and cannot go on`, {
      hint: 'Go on with the shard that lacks rounds, then merge all of them again.',
    });
  }
  if (shard !== undefined && (options.rounds ?? options.budget) !== undefined) {
    throw new PgsweepError('usage', `${path} is shard ${shard.index} of ${shard.count}, whose rounds are fixed`, {
      hint: 'Leave out --rounds and --budget: it goes on to its last round.',
    });
  }
  const { scenario, warnings } = restoredScenario(journal.run);
  requireAllowed(scenario.target, scenario.variants, options);
  requireGatesOf(gateChoice(options), scenario);
  // A resumed run has a budget of its own: the time since the interruption is nobody's.
  const again = withAllowed(applyOverrides(scenario, options), options);
  const here = shard && { shard: { ...shard, machine: machineOf() } };
  return { scenario: again, seed, quick, folder, resume: journal, ...here, warnings };
}

async function sweep(run: Run, options: SweepOptions, io: Io): Promise<ExitCode> {
  const progress = progressFor(options, io);
  const onInterrupt = (): void =>
    progress.on({ kind: 'preparing', message: 'stopping what was started (once more to leave at once)' });
  io.signal.addEventListener('abort', onInterrupt, { once: true });
  for (const warning of run.warnings) progress.on({ kind: 'warning', warning });
  try {
    await runSession({
      ...run,
      stackChoice: stackChoice(options),
      intervalMs: options.interval,
      decideStop: stopRuleOf(run, options),
      allStay: !mayArmsLeave(run.scenario, stopOptions(options)),
      emit: (event) => progress.on(event),
      signal: io.signal,
    });
  } catch (error) {
    progress.close();
    throw await withWhatIsKept(error, run, options, io);
  } finally {
    progress.close();
  }
  const summary = await showReport(run.folder.path, readJournal(run.folder.journal), shown(options), io);
  // Whether a shard by itself is fit decides nothing, and a scheduler would run it again.
  return run.shard === undefined ? finishSession(summary, io) : ExitCode.done;
}

function shown(options: SweepOptions): Shown {
  const { json = false, full = false, style } = options;
  return { json, full, style, gates: gateChoice(options) };
}

function stopOptions({ size = false, settle, gate: gates = [] }: SweepOptions): StopOptions {
  return { size, all: settle === 'all', gates };
}

/** Reads of the journal what each round adds, once the first has begun it. */
function stopRuleOf({ folder, scenario, shard }: Run, options: SweepOptions): SessionOptions['decideStop'] {
  // What it has found by itself has no say in how much is measured.
  if (shard !== undefined) return () => ({ stop: false, undecided: null });
  const follow = followJournal(folder.journal, {
    probes: needsProbes(options.gate ?? [], scenario) ? 'read' : 'left out',
  });
  let rule: StopRule | null = null;
  return () => {
    const { run, records } = follow();
    rule ??= createStopRule(run, stopOptions(options));
    return rule.after(records);
  };
}

/** Reports the rounds that were finished, and says in the error what is there and how to go on. */
async function withWhatIsKept(error: unknown, run: Run, options: SweepOptions, io: Io): Promise<unknown> {
  if (!(error instanceof PgsweepError)) return error;
  const { folder, resume } = run;
  const found = await reportFinishedRounds(folder, options, io);
  if (found === null) removeUnused(folder.made);
  const before = resume === null ? 0 : completeRounds(resume);
  const ended = { code: error.code, rounds: found?.rounds ?? null, before, folder: folder.path };
  const advice = adviceAfter({ ...ended, written: found?.unwritten === null });
  const hint = error.hint === undefined ? advice : `${error.hint}\n${advice}`;
  return new PgsweepError(error.code, error.message, { hint, cause: error });
}

/** Report of the run, and the error if its files have no room; null if the run had not begun. */
async function reportFinishedRounds(
  folder: RunFolder,
  options: SweepOptions,
  io: Io,
): Promise<{ readonly rounds: number; readonly unwritten: PgsweepError | null } | null> {
  let journal: Journal;
  let rounds: number;
  try {
    journal = readJournal(folder.journal);
    rounds = completeRounds(journal);
  } catch {
    return null;
  }
  if (rounds === 0) return { rounds, unwritten: null };
  try {
    await showReport(folder.path, journal, shown(options), io);
    return { rounds, unwritten: null };
  } catch (error) {
    if (error instanceof PgsweepError && error.code === 'disk') return { rounds, unwritten: error };
    throw error;
  }
}
