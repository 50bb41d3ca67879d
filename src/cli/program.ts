import { Command, CommanderError } from 'commander';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { ExitCode } from '../base/exit-codes.ts';
import { maskKnown } from '../base/secrets.ts';
import { visibleLines } from '../base/visible.ts';
import { pgsweepVersion } from '../measure/run/provenance.ts';
import { bulkLoadCommand } from './bulk-load.ts';
import { cleanCommand } from './clean.ts';
import { completionCommand } from './completion/command.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init/command.ts';
import type { Io } from './io.ts';
import { compareCommand } from './offline/compare.ts';
import { deltaCommand } from './offline/delta.ts';
import { historyCommand } from './offline/history.ts';
import { mergeCommand } from './offline/merge.ts';
import { planCommand } from './plan.ts';
import { reportCommand } from './report.ts';
import { sweepCommand } from './sweep.ts';

/** Runs a command line and returns its exit code. Nothing is thrown. */
export async function runCli(args: readonly string[], terminal: Io): Promise<ExitCode> {
  // Names of variants, folders and statements are anybody's, and so is what a service prints before it ends.
  const io: Io = {
    ...terminal,
    out: (text) => terminal.out(visibleLines(text)),
    err: (text) => terminal.err(visibleLines(maskKnown(text))),
  };
  // A report has colours of ours, and has made everything else harmless itself.
  const coloured: Io = { ...io, out: terminal.out };
  let exitCode: ExitCode = ExitCode.done;
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  const program = new Command('pgsweep')
    .description('Which pool size, index, setting or release is better for my service, by how much, and is it real?')
    .version(pgsweepVersion())
    .configureOutput({ writeOut: io.out, writeErr: io.err, getOutHelpWidth: () => io.outWidthColumns })
    .showHelpAfterError('(pgsweep --help, or pgsweep COMMAND --help, shows what is possible)')
    .exitOverride();
  const commands = [
    sweepCommand(coloured, finish),
    planCommand(io, finish),
    bulkLoadCommand(io, finish),
    reportCommand(coloured, finish),
    mergeCommand(coloured, finish),
    compareCommand(io, finish),
    deltaCommand(io),
    historyCommand(io),
    doctorCommand(io, finish),
    initCommand(io),
    cleanCommand(io, finish),
    completionCommand(io),
  ];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const part of command.commands) part.copyInheritedSettings(command);
  }
  program.addHelpText(
    'after',
    '\nExit codes: 0 done, 1 internal error, 2 bad usage or scenario, 3 environment unfit, 4 a gate failed, 130 interrupted.',
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    return reportError(error, io);
  }
}

function reportError(error: unknown, io: Io): ExitCode {
  if (error instanceof PgsweepError) {
    io.err(`${error.code === 'interrupted' ? '' : 'error: '}${error.message}\n`);
    if (error.hint !== undefined) io.err(`${error.hint}\n`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  io.err(`internal error, a bug in pgsweep; please report it with these lines:\n${stack}\n`);
  return ExitCode.internal;
}
