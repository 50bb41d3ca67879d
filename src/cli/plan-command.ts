import { Command } from 'commander';
import type { ExitCode } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { sampleFile } from '../scenario/sample-file.ts';
import { withAgainstOptions } from './against/options.ts';
import type { Io } from './io.ts';
import { isWithoutFile, withNoFileOptions } from './no-file/options.ts';
import { defaultScenario, withLengthOptions } from './options.ts';
import type { PlanOptions } from './plan.ts';
import { withStackOptions } from './stack-options.ts';

const examples = (sample: string): string => `
Exit code: 0; 2 if max_connections is too small for the heaviest load. With --check: 2 if a sweep would fail before its
first round, 3 if this machine is not fit to measure.

Examples:
  pgsweep plan
  pgsweep plan ${sample} --budget 30m
  pgsweep plan my-service.yaml --check
  pgsweep plan --command 'node server.mjs' --env POOL_MAX=10,20,40 --get /items --check`;

/** Options and help of `plan`. The plan itself is loaded when it is made. */
export function planCommand(io: Io, finish: (code: ExitCode) => void): Command {
  const named = withStackOptions(new Command('plan')).argument(
    '[scenario]',
    'scenario file; pgsweep.yaml if this folder has one',
    defaultScenario(),
  );
  const command = withLengthOptions(named)
    .option('--quick', 'one short round, without verdicts')
    .option(
      '--check',
      'make the checks of a sweep before its first round: start the service of each variant on a copy of the data, and send one request of each kind (a url is only asked if it is ready)',
    )
    .option('--check-control', 'like --check, but start only the control and variants with another command or folder')
    .option('--out <dir>', 'with --check: run folder to check (default: results/NAME-TIME)')
    .option('--json', 'print the plan as JSON');
  return withNoFileOptions(withAgainstOptions(command))
    .addHelpText('after', () => examples(shellWord(sampleFile())))
    .action(async (file: string, options: PlanOptions, { args }: Command) => {
      const asked = isWithoutFile(options, args) ? null : file;
      const { runPlan } = await import('./plan.ts');
      finish(await runPlan(asked, options, io));
    });
}
