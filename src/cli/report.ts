import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { ExitCode } from '../base/errors.ts';
import { removeUnfinished } from '../base/files/atomic-file.ts';
import { folderOf } from '../measure/run/run-folder.ts';
import { type ExportFormat, exportFormats } from '../report/exports/export-formats.ts';
import { folderAgainst } from '../report/other-control.ts';
import type { Io } from './io.ts';
import { type Bounds, boundedThread } from './report/bounded-thread.ts';
import { type GateOptions, withGateOptions } from './report/gate-option.ts';
import type { AskedReport, ReportedRun } from './report/report-run.ts';
import { type StyleOption, withStyleOption } from './report/style-option.ts';
import { applyShare, type ShareOption, withShareOption } from './share.ts';
import type { ReportIo } from './show-report.ts';

interface ReportOptions extends ShareOption, GateOptions, StyleOption {
  readonly json?: boolean;
  readonly full?: boolean;
  readonly limits: boolean;
  readonly export?: ExportFormat;
  readonly control?: string;
}

export function reportCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withGateOptions(withStyleOption(withShareOption(new Command('report'))))
    .argument('<run>', 'run folder, or its journal.jsonl')
    .option('--full', 'print all tables, not only the first screen')
    .option('--json', 'print the summary as JSON')
    .addOption(
      new Option('--export <format>', 'print the run in a format for another program; write no files')
        .choices(exportFormats)
        .conflicts('json'),
    )
    .option('--control <variant>', 'judge the run against another variant; its report goes into a separate folder')
    .option('--no-limits', 'allow more than a minute of CPU time and 1 GB of memory; only for your own runs')
    .addHelpText(
      'after',
      "\nExamples:\n  pgsweep report results/pool-size-2026-01-31T10-00-00\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --json\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --export benchstat > runs.txt && benchstat -col /variant runs.txt\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --gate 'rps > -5%' --gate 'p95_ms < +10% at 50 connections'\n  pgsweep report results/pool-size-2026-01-31T10-00-00 --control pool=25",
    )
    .action(async (run: string, options: ReportOptions) => {
      const { json = false, full = false, limits, style, control } = options;
      applyShare(options);
      const { gateChoice } = await import('./report/gates.ts');
      const asked = { run, json, full, style, format: options.export, control, gates: gateChoice(options) };
      if (limits) finish(await boundedReport(asked, io));
      else finish(await (await import('./report/report-run.ts')).reportRun(asked, io));
    });
}

/**
 * Judges a run in a thread that may take a minute of CPU time and less than 1 GB, whatever its journal holds, and returns
 * the command's exit code. Throws PgsweepError, `journal` where it takes more.
 */
export function boundedReport(
  reported: ReportedRun,
  io: ReportIo & Pick<Io, 'signal'>,
  bounds?: Bounds,
): Promise<ExitCode> {
  const asked: AskedReport = { ...reported, outColour: io.outColour, outWidthColumns: io.outWidthColumns };
  const onKilled = (): void => {
    const folder = folderOf(reported.run);
    const shown = reported.control === undefined ? folder : folderAgainst(folder, reported.control);
    for (const own of [shown, join(shown, 'charts'), join(folder, 'samples')]) removeUnfinished(own);
  };
  const options = { doing: `judging ${reported.run}`, onKilled, ...(bounds && { bounds }) };
  return boundedThread({ command: 'report', asked }, options, io);
}
