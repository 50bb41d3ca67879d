import { Command } from 'commander';
import { ExitCode } from '../base/errors.ts';
import { leftLedgers } from '../base/process/ledger.ts';
import { cleanUpAfter, isLeft } from '../base/process/reaper.ts';
import { shellWord } from '../base/shell-word.ts';
import { keptSnapshots, removeHalfDone } from '../measure/against/snapshots.ts';
import { discard } from '../measure/stack/embedded/user-cache.ts';
import { loginForLeft } from '../measure/stack/external/postgres.ts';
import { neededBy } from './against/needed-by.ts';
import type { Io } from './io.ts';

export function cleanCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return new Command('clean')
    .option(
      '--postgres <url>',
      'your server that has left-over databases, with its password, which no run stores (default: DATABASE_URL if it names that server; else PGPASSWORD, ~/.pgpass)',
    )
    .addHelpText(
      'after',
      '\nEvery run records what it starts: processes, folders, containers, shared memory, databases and indices on your server.\npgsweep clean ends and removes only what your dead runs left, and the snapshots of --against that no running or interrupted run needs.\n\nExit code: 0, or 3 if something could not be removed.\n\nExamples:\n  pgsweep clean\n  pgsweep clean --postgres postgres://me:password@db.example.org/postgres',
    )
    .action(async ({ postgres }: { readonly postgres?: string }) => {
      const login = loginForLeft(postgres ?? (process.env.DATABASE_URL || undefined));
      let count = 0;
      for (const left of leftLedgers()) {
        for (const found of await cleanUpAfter(left, login)) {
          count++;
          if (isLeft(found)) finish(ExitCode.unfit);
          io.out(`${found}${left.run === null ? '' : ` (${left.run})`}\n`);
        }
      }
      for (const line of await cleanSnapshots()) {
        count++;
        io.out(`${line}\n`);
      }
      if (count === 0) io.out('No run left anything behind.\n');
    });
}

/** Removes snapshots, and returns a line for each. */
async function cleanSnapshots(): Promise<string[]> {
  const lines = (await removeHalfDone()).map((folder) => `half a snapshot removed: ${folder}`);
  for (const one of keptSnapshots()) {
    const words = `snapshot of ${one.name}, ${Math.ceil(one.bytes / 2 ** 20)} MB`;
    const run = one.isUsed ? undefined : neededBy(one);
    if (one.isUsed) lines.push(`${words}: kept, a run uses it`);
    else if (run !== undefined)
      lines.push(`${words}: kept to resume ${run}; to remove it all the same: rm -r ${shellWord(one.folder)}`);
    else {
      await discard(one.folder);
      lines.push(`${words} removed: ${one.folder}`);
    }
  }
  return lines;
}
