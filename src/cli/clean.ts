import { Command } from 'commander';
import { leftLedgers } from '../base/process/ledger.ts';
import { cleanUpAfter } from '../base/process/reaper.ts';
import type { Io } from './io.ts';

export function cleanCommand(io: Io): Command {
  return new Command('clean')
    .description('end and remove what runs left that were killed together with their guard')
    .addHelpText(
      'after',
      '\nEvery run writes down what it starts: processes, folders, containers, shared memory, databases on a server of yours.\nWhat runs of yours left that are gone is ended and removed, and nothing else.\n\nExamples:\n  pgsweep clean',
    )
    .action(async () => {
      let count = 0;
      for (const left of leftLedgers()) {
        for (const found of await cleanUpAfter(left)) {
          count++;
          io.out(`${found}${left.run === null ? '' : ` (${left.run})`}\n`);
        }
      }
      if (count === 0) io.out('Nothing is left of any run.\n');
    });
}
