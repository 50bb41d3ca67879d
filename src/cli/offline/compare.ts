import { Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from '../../base/errors.ts';
import { PgsweepError } from '../../base/errors.ts';
import type { OfSides } from '../../judge/between-runs/types.ts';
import { metricNamed } from '../../judge/verdicts/gate.ts';
import type { Io } from '../io.ts';
import { countOption } from '../options.ts';
import { boundedThread } from '../report/bounded-thread.ts';
import { type GateOptions, gateChoice, withGateOptions } from '../report/gate-option.ts';
import { type AskedComparison, compareAt, gateSubjects } from './compare-at.ts';

interface CompareOptions extends GateOptions {
  readonly gateOn: AskedComparison['gates']['on'];
  readonly base?: readonly string[];
  readonly head?: readonly string[];
  readonly metric: string;
  readonly planned?: number;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly limits: boolean;
}

const EXAMPLES = `
Two runs share no rounds, so one's requests per second against the other's have no verdict. What has one is how the change
of each variant against the control differs between them. Levels are judged where each side has four runs or more that were
taken in turn (A B B A).

Examples:
  pgsweep compare results/main results/branch
  pgsweep compare results/main results/branch --metric p95_ms
  pgsweep compare --base results/main-* --head results/branch-* --planned 4
  pgsweep compare results/main results/branch --gate 'rps > -5%' --gate-on changes
  pgsweep compare results/yesterday results/today --csv > changes.csv`;

export function compareCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withGateOptions(new Command('compare'))
    .argument('[runs...]', 'two run folders: the second is compared with the first')
    .option('--base <dir...>', 'one or more runs that are compared with')
    .option('--head <dir...>', 'one or more runs that are compared')
    .option(
      '--metric <name>',
      'of which metric the tables show levels: rps, p99_ms, or as in metrics.csv',
      metricOption,
      'requests_per_s',
    )
    .option(
      '--planned <runs>',
      'you had decided on so many runs a side before the first: more of the error may be spent on levels',
      countOption,
    )
    .addOption(
      new Option(
        '--gate-on <what>',
        'what gates are about: head against base, or how changes against the control differ',
      )
        .choices(gateSubjects)
        .default('levels'),
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .option('--no-limits', 'let runs of your own take more than a minute of CPU time and 1 GB of memory')
    .addHelpText('after', EXAMPLES)
    .action(async (runs: readonly string[], options: CompareOptions) => {
      const asked: AskedComparison = {
        runs: sidesOf(runs, options),
        plannedSessions: options.planned ?? null,
        metric: options.metric,
        gates: { ...gateChoice(options), on: options.gateOn },
        format: options.json ? 'json' : options.csv ? 'csv' : 'markdown',
      };
      const bounded = (): Promise<ExitCode> =>
        boundedThread({ command: 'compare', asked }, { doing: 'comparing these runs' }, io);
      finish(options.limits ? await bounded() : compareAt(asked, io));
    });
}

function metricOption(name: string): string {
  const metric = metricNamed(name);
  if (metric === null)
    throw new InvalidArgumentError('Expected a metric such as rps, p99_ms or tup_inserted_per_request.');
  return metric;
}

function sidesOf(runs: readonly string[], { base, head }: CompareOptions): OfSides<readonly string[]> {
  const [first, second, ...others] = runs;
  if (base === undefined && head === undefined && first !== undefined && second !== undefined && others.length === 0) {
    return { base: [first], head: [second] };
  }
  if (base !== undefined && head !== undefined && runs.length === 0) return { base, head };
  throw new PgsweepError('usage', 'expected two run folders, or --base and --head with one or more each', {
    hint: 'pgsweep compare results/main results/branch, or pgsweep compare --base results/main-* --head results/branch-*',
  });
}
