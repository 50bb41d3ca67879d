import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { PgsweepError } from '../base/errors.ts';
import type { Io } from './io.ts';
import { starterScenario } from './starter-scenario.ts';

export function initCommand(io: Io): Command {
  return new Command('init')
    .description('write a commented scenario for a service of your own')
    .argument('[file]', 'where to write it', 'pgsweep.yaml')
    .option('--force', 'overwrite the file')
    .addHelpText('after', '\nExamples:\n  pgsweep init\n  pgsweep init bench/pool-size.yaml')
    .action((file: string, { force }: { force?: boolean }) => {
      if (existsSync(file) && !force) {
        throw new PgsweepError('usage', `${file} is there already`, {
          hint: 'Name another file, or overwrite it with --force.',
        });
      }
      // For the repository, so as the user's other files are.
      writeFileAtomic(file, starterScenario, 0o666);
      io.out(
        `wrote ${file}\nNext: set command, dataset and requests in it, then\n  pgsweep plan ${file}\n  pgsweep sweep ${file} --quick\n  pgsweep sweep ${file}\n`,
      );
    });
}
