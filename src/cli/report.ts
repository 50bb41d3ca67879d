import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { summarize } from '../analysis/summary.ts';
import { ExitCode } from '../base/exit-codes.ts';
import { readJournal } from '../journal/journal.ts';
import { type ExportFormat, exportFormats, exportRun } from '../report/exports/export-run.ts';
import { runFolderAt } from '../run/run-folder.ts';
import type { Io } from './io.ts';
import { applyShare, type ShareOption, withShareOption } from './share.ts';
import { showReport } from './show-report.ts';

export function reportCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withShareOption(new Command('report'))
    .description('judge a run again from its journal, rewrite its report files and print it')
    .argument('<run>', 'run folder, or its journal.jsonl')
    .option('--json', 'print the summary as JSON')
    .addOption(
      new Option('--export <format>', 'print the run for another program, and write no files')
        .choices(exportFormats)
        .conflicts('json'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep report results/pool-size-2026-01-31T10-00-00\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --json\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --export benchstat > runs.txt && benchstat -col /variant runs.txt',
    )
    .action(async (run: string, options: ShareOption & { json?: boolean; export?: ExportFormat }) => {
      const { json = false } = options;
      applyShare(options);
      const path = statSync(run, { throwIfNoEntry: false })?.isFile() ? dirname(run) : run;
      if (options.export !== undefined) {
        const journal = readJournal(runFolderAt(path).journal);
        io.out(exportRun(journal, options.export));
        if (summarize(journal).session.verdict === 'unfit') {
          io.err(
            'the session is unfit, so that no difference in these numbers is to be believed; `pgsweep report` says why\n',
          );
          finish(ExitCode.unfit);
        }
        return;
      }
      const { session } = await showReport(path, readJournal(runFolderAt(path).journal), { json }, io);
      if (session.verdict === 'unfit') finish(ExitCode.unfit);
    });
}
