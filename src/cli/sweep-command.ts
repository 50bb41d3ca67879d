import { Command, Option } from 'commander';
import { type ExitCode, PgsweepError } from '../base/errors.ts';
import { againstNames, withAgainstOptions } from './against/options.ts';
import { withRemoteOption } from './allow-remote.ts';
import type { Io } from './io.ts';
import { isWithoutFile, noFileNames, withNoFileOptions } from './no-file/options.ts';
import { defaultScenario, durationOption, seedOption, withLengthOptions } from './options.ts';
import { withGateOptions } from './report/gate-option.ts';
import { withStyleOption } from './report/style-option.ts';
import { withShardOption } from './shard-option.ts';
import { withShareOption } from './share.ts';
import { withStackOptions } from './stack-options.ts';
import type { SweepOptions } from './sweep.ts';

const EXAMPLES = `
pgsweep plan --check runs only the checks before the first round.

Examples:
  pgsweep sweep my-service.yaml --budget 30m --out results/mine
  pgsweep sweep --resume results/mine
  pgsweep sweep --against main --gate 'rps > -5%' --gate 'p99_ms < +10%'
  pgsweep sweep --shard 3/8 --rounds 24 --out shards/3 && pgsweep merge shards/*
  pgsweep sweep --command 'node server.mjs' --env POOL_MAX=10,20,40 --get '/items?limit=10' --sql schema.sql`;

/** Adds the options of every command that makes a run: how long it is, when it stops, where it goes, and what is printed. */
export function withRunOptions(command: Command): Command {
  const named = command
    .option('--quick', 'one short round, without verdicts')
    .option('--out <dir>', 'run folder (default: results/SCENARIO-TIME)');
  return withLengthOptions(named)
    .option('--seed <n>', 'seed of all shuffles and requests (default: a new one; for shards 1)', seedOption)
    .addOption(
      new Option('--interval <duration>', 'how often to sample pg_stat_database')
        .argParser(durationOption)
        .default(5000, '5s'),
    )
    .addOption(
      new Option('--resume <dir>', 'resume an interrupted run, or extend a finished one').conflicts([
        'out',
        'seed',
        'quick',
        ...noFileNames,
        ...againstNames,
      ]),
    )
    .option('--quiet', 'show no progress')
    .option('--full', 'print all tables, not only the first screen')
    .option('--json', 'print the summary as JSON')
    .option('--size', 'continue until every change is precise enough to quote its size')
    .addOption(
      new Option(
        '--settle <what>',
        'all: continue until every change has a verdict, even if the setting to take is already known',
      ).choices(['all']),
    );
}

/**
 * The scenario file of a run; null where options replace it. `named` are the files on the command line. Throws PgsweepError `usage`
 * for a file that would not be read.
 */
export function fileAsked(file: string, options: SweepOptions, named: readonly string[]): string | null {
  if (isWithoutFile(options, named)) return null;
  const [first] = named;
  if (options.resume === undefined || first === undefined) return file;
  throw new PgsweepError('usage', `--resume takes the scenario from the run, but the command line names ${first} too`, {
    hint: `Leave ${first} out to resume ${options.resume}. Leave --resume out to start a new run.`,
  });
}

/** Options and help of `sweep`. The run itself is loaded when it starts. */
export function sweepCommand(io: Io, finish: (code: ExitCode) => void): Command {
  const named = withGateOptions(
    withStyleOption(withShareOption(withRemoteOption(withStackOptions(new Command('sweep'))))),
  ).argument('[scenario]', 'scenario file; pgsweep.yaml if this folder has one', defaultScenario());
  const sharded = withShardOption(withRunOptions(named), ['resume', 'quick', 'size', 'settle', 'settleWithin', 'gate']);
  return withNoFileOptions(withAgainstOptions(sharded))
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: SweepOptions, { args }: Command) => {
      const asked = fileAsked(file, options, args);
      const { runSweep } = await import('./sweep.ts');
      finish(await runSweep(asked, options, io));
    });
}
