import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { schemaLine } from '../scenario/schema-file.ts';
import type { Io } from './io.ts';
import { OWN_SCENARIO } from './options.ts';
import { starterScenario } from './starter-scenario.ts';

export function initCommand(io: Io): Command {
  return new Command('init')
    .description('write a commented scenario for a service of your own')
    .argument('[file]', 'where to write it', OWN_SCENARIO)
    .option('--force', 'overwrite the file')
    .addHelpText('after', '\nExamples:\n  pgsweep init\n  pgsweep init bench/pool-size.yaml')
    .action((file: string, { force }: { force?: boolean }) => {
      if (existsSync(file) && !force) {
        throw new PgsweepError('usage', `${file} is there already`, {
          hint: 'Name another file, or overwrite it with --force.',
        });
      }
      // For the repository, so as the user's other files are.
      writeFileAtomic(file, `${schemaLine(file, process.cwd())}\n${starterScenario}`, 0o666);
      // Taken where none is named.
      const named = file === OWN_SCENARIO ? '' : ` ${file}`;
      io.out(
        `wrote ${file}\nNext: set command, dataset and requests in it, then\n  pgsweep plan${named}\n  pgsweep sweep${named} --quick\n  pgsweep sweep${named}\n`,
      );
    });
}
