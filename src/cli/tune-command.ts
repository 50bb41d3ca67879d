import { Command } from 'commander';
import type { ExitCode } from '../base/errors.ts';
import { withRemoteOption } from './allow-remote.ts';
import type { Io } from './io.ts';
import { withNoFileOptions } from './no-file/options.ts';
import { tuneScenario } from './options.ts';
import { withGateOptions } from './report/gate-option.ts';
import { withStyleOption } from './report/style-option.ts';
import { withShareOption } from './share.ts';
import { withStackOptions } from './stack-options.ts';
import type { SweepOptions } from './sweep.ts';
import { fileAsked, withRunOptions } from './sweep-command.ts';

const EXAMPLES = `
It takes sweep's other options, except --gate, --shard and --against.

Examples:
  pgsweep tune --resume results/mine --budget 20m
  pgsweep tune --command 'node server.mjs' --env POOL_MAX=1..100 --setting work_mem=1MB..256MB --get /items`;

/** Options that the help shows; it would be as long as that of sweep with the others. */
const SHOWN = ['--quick', '--out', '--budget', '--resume', '--json'];

/** Options and help of `tune`. The run itself is loaded when it starts. */
export function tuneCommand(io: Io, finish: (code: ExitCode) => void): Command {
  const about = 'scenario file that names a space (tune); pgsweep.yaml if there is one';
  const named = withRemoteOption(withStackOptions(new Command('tune').argument('[scenario]', about, tuneScenario())));
  const command = withNoFileOptions(withRunOptions(withGateOptions(withStyleOption(withShareOption(named)))));
  for (const option of command.options) if (!SHOWN.includes(option.long ?? '')) option.hideHelp();
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: SweepOptions, { args }: Command) => {
      const asked = fileAsked(file, options, args);
      const { runSweep } = await import('./sweep.ts');
      finish(await runSweep(asked, { ...options, tune: true }, io));
    });
}
