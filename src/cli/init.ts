import { existsSync, readdirSync } from 'node:fs';
import { Command } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { schemaLine } from '../scenario/schema-file.ts';
import type { Io } from './io.ts';
import { OWN_SCENARIO, sampleScenario } from './options.ts';
import { starterScenario } from './starter-scenario.ts';

/** What npm and pgsweep leave in a folder that holds nothing else. */
const ofNobody = ['node_modules', 'package.json', 'package-lock.json', 'results', OWN_SCENARIO];

/** Written where there is no service to write a scenario for: it runs as it is. */
const SAMPLE_COMMENT = `# A pgsweep scenario: what varies, against which control, under which load, for how long.
# It measures the sample service that comes with pgsweep. pgsweep init writes one for a service of yours in the folder of that.
`;

export function initCommand(io: Io): Command {
  return new Command('init')
    .description('write a commented scenario for a service of your own; in an empty folder one that runs as it is')
    .argument('[file]', 'where to write it', OWN_SCENARIO)
    .option('--force', 'overwrite the file')
    .addHelpText('after', '\nExamples:\n  pgsweep init\n  pgsweep init bench/pool-size.yaml')
    .action((file: string, { force }: { force?: boolean }) => {
      if (existsSync(file) && !force) {
        throw new PgsweepError('usage', `${file} is there already`, {
          hint: 'Name another file, or overwrite it with --force.',
        });
      }
      const isSample = readdirSync('.').every((name) => name.startsWith('.') || ofNobody.includes(name));
      const scenario = isSample ? `${SAMPLE_COMMENT}${sampleScenario()}` : starterScenario;
      // For the repository, so as the user's other files are.
      writeFileAtomic(file, `${schemaLine(file, process.cwd())}\n${scenario}`, 0o666);
      // Taken where none is named.
      const named = file === OWN_SCENARIO ? '' : ` ${file}`;
      io.out(
        `wrote ${file}${isSample ? ', for the sample service' : ''}\nNext:${isSample ? '' : ' set command, dataset and requests in it, then'}\n  pgsweep plan${named}\n  pgsweep sweep${named} --quick\n  pgsweep sweep${named}\n`,
      );
    });
}
