import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { ExitCode } from '../base/exit-codes.ts';
import { readJournal } from '../journal/journal.ts';
import { runFolderAt } from '../run/run-folder.ts';
import type { Io } from './io.ts';
import { applyShare, type ShareOption, withShareOption } from './share.ts';
import { showReport } from './show-report.ts';

export function reportCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withShareOption(new Command('report'))
    .description('judge a run again from its journal, rewrite its report files and print it')
    .argument('<run>', 'run folder, or its journal.jsonl')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep report results/pool-size-2026-01-31T10-00-00\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --json',
    )
    .action(async (run: string, options: ShareOption & { json?: boolean }) => {
      const { json = false } = options;
      applyShare(options);
      const path = statSync(run, { throwIfNoEntry: false })?.isFile() ? dirname(run) : run;
      const { session } = await showReport(path, readJournal(runFolderAt(path).journal), { json }, io);
      if (session.verdict === 'unfit') finish(ExitCode.unfit);
    });
}
