import { Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from '../../base/errors.ts';
import { PgsweepError } from '../../base/errors.ts';
import type { OfSides } from '../../judge/between-runs/types.ts';
import { metricNamed } from '../../judge/verdicts/gate.ts';
import type { Io } from '../io.ts';
import { countOption } from '../options.ts';
import { boundedThread } from '../report/bounded-thread.ts';
import { type GateOptions, withGateOptions } from '../report/gate-option.ts';
import type { AskedComparison } from './compare-at.ts';

type GateSubject = AskedComparison['gates']['on'];

interface CompareOptions extends GateOptions {
  readonly gateOn: GateSubject;
  readonly base?: readonly string[];
  readonly head?: readonly string[];
  readonly metric?: string;
  readonly planned?: number;
  readonly control?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly limits: boolean;
}

const EXAMPLES = `
Two runs share no rounds, so their requests per second get no verdict. pgsweep judges how the change of each variant
against the control differs between the runs. It judges levels too if each side has at least four runs, in the order
A B B A.

Examples:
  pgsweep compare results/main results/branch
  pgsweep compare results/main results/branch --metric p95_ms
  pgsweep compare --base results/main-* --head results/branch-* --planned 4
  pgsweep compare results/main results/branch --gate 'rps > -5%' --gate-on changes
  pgsweep compare results/yesterday results/today --csv > changes.csv`;

export function compareCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withGateOptions(new Command('compare'))
    .argument('[runs...]', 'two run folders; pgsweep compares the second with the first')
    .option('--base <dir...>', 'one or more runs to compare with')
    .option('--head <dir...>', 'one or more runs to compare')
    .option(
      '--metric <name>',
      'metric of the tables: rps, p99_ms, or a name from metrics.csv (default: the judged metric)',
      metricOption,
    )
    .option(
      '--planned <runs>',
      'number of runs per side, if you fixed it before the first: intervals of levels get narrower',
      countOption,
    )
    .option('--control <variant>', 'compare changes against another variant than the control of the runs')
    .addOption(
      new Option(
        '--gate-on <what>',
        'levels: gates compare head with base; changes: gates compare their changes against the control',
      )
        .choices(['levels', 'changes'] satisfies GateSubject[])
        .default('levels'),
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .option('--no-limits', 'allow more than a minute of CPU time and 1 GB of memory; only for your own runs')
    .addHelpText('after', EXAMPLES)
    .action(async (runs: readonly string[], options: CompareOptions) => {
      const { gateChoice } = await import('../report/gates.ts');
      const asked: AskedComparison = {
        runs: sidesOf(runs, options),
        plannedSessions: options.planned ?? null,
        control: options.control ?? null,
        metric: options.metric ?? null,
        gates: { ...gateChoice(options), on: options.gateOn },
        format: options.json ? 'json' : options.csv ? 'csv' : 'markdown',
      };
      if (options.limits)
        finish(await boundedThread({ command: 'compare', asked }, { doing: 'comparing these runs' }, io));
      else finish((await import('./compare-at.ts')).compareAt(asked, io));
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
