import { Command, CommanderError } from 'commander';
import { ExitCode, messageOf, PgsweepError } from '../base/errors.ts';
import { maskKnown } from '../base/secrets.ts';
import { pgsweepVersion } from '../base/version.ts';
import { visibleLines } from '../base/visible.ts';
import type { Io } from './io.ts';

/** Context of a command: its output, with or without colours, and how it sets its exit code. */
interface CommandContext {
  readonly io: Io;
  readonly coloured: Io;
  readonly finish: (code: ExitCode) => void;
}

/** A command's line in the list of commands. Its options are loaded when they are needed. */
interface CommandEntry {
  readonly summary: string;
  readonly load: (context: CommandContext) => Promise<Command>;
}

const entries: Readonly<Record<string, CommandEntry>> = {
  sweep: {
    summary: 'run a scenario and report which variants differ from the control, by how much, and whether it is real',
    load: async ({ coloured, finish }) => (await import('./sweep-command.ts')).sweepCommand(coloured, finish),
  },
  tune: {
    summary: 'search a space of settings for the best one, and confirm it against the control',
    load: async ({ coloured, finish }) => (await import('./tune-command.ts')).tuneCommand(coloured, finish),
  },
  plan: {
    summary: 'show what a sweep would do and how long it would take; starts nothing without --check',
    load: async ({ io, finish }) => (await import('./plan-command.ts')).planCommand(io, finish),
  },
  'bulk-load': {
    summary: 'post a whole data set in dependency order; say how long it took and which documents did not arrive',
    load: async ({ io, finish }) => (await import('./bulk-load-command.ts')).bulkLoadCommand(io, finish),
  },
  report: {
    summary: 'judge a run again from its journal, rewrite its report files and print it',
    load: async ({ coloured, finish }) => (await import('./report.ts')).reportCommand(coloured, finish),
  },
  merge: {
    summary: 'combine the rounds of several machines into one run, and judge it',
    load: async ({ coloured, finish }) => (await import('./offline/merge.ts')).mergeCommand(coloured, finish),
  },
  compare: {
    summary: 'compare any two runs: their metrics, and their changes against the control',
    load: async ({ io, finish }) => (await import('./offline/compare.ts')).compareCommand(io, finish),
  },
  delta: {
    summary: 'compute percent changes from numbers that you already have: tables, or the output of load tools',
    load: async ({ io }) => (await import('./offline/delta.ts')).deltaCommand(io),
  },
  history: {
    summary: 'keep results by commit, and find the commits where a metric changed',
    load: async ({ io }) => (await import('./offline/history.ts')).historyCommand(io),
  },
  doctor: {
    summary: 'check this machine as a run would, and say how to fix each problem',
    load: async ({ io, finish }) => (await import('./doctor.ts')).doctorCommand(io, finish),
  },
  init: {
    summary: 'write a scenario with comments for your own service; in an empty folder, one that runs as it is',
    load: async ({ io }) => (await import('./init/command.ts')).initCommand(io),
  },
  clean: {
    summary: 'end and remove what killed runs left behind',
    load: async ({ io, finish }) => (await import('./clean.ts')).cleanCommand(io, finish),
  },
  completion: {
    summary: 'print a shell script that completes commands, options and files',
    load: async ({ io }) => (await import('./completion.ts')).completionCommand(io),
  },
};

/** Names of all commands. */
export const commandNames: readonly string[] = Object.keys(entries);

/** Runs a command line and returns its exit code. Nothing is thrown. */
export async function runCli(args: readonly string[], terminal: Io): Promise<ExitCode> {
  // Names of variants, folders and statements come from users, and a service's last output comes from the service.
  const io: Io = {
    ...terminal,
    out: (text) => terminal.out(visibleLines(text)),
    err: (text) => terminal.err(visibleLines(maskKnown(text))),
  };
  let exitCode: ExitCode = ExitCode.done;
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  // A report has pgsweep's own colours, and has escaped everything else itself.
  const context: CommandContext = { io, coloured: { ...io, out: terminal.out }, finish };
  const program = new Command('pgsweep')
    .description('Which pool size, index, setting or release is better for my service, by how much, and is it real?')
    .version(pgsweepVersion())
    .configureOutput({ writeOut: io.out, writeErr: io.err, getOutHelpWidth: () => io.outWidthColumns })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(see pgsweep --help, or pgsweep COMMAND --help)')
    .exitOverride();
  for (const command of await commandsFor(args, context)) {
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

/** All commands. A command that the command line does not name has only its line in the list, except for completion. */
function commandsFor(args: readonly string[], context: CommandContext): Promise<Command[]> {
  return Promise.all(
    Object.entries(entries).map(async ([name, { summary, load }]) => {
      const isNeeded = args.includes(name) || args.includes('completion');
      return (isNeeded ? await load(context) : new Command(name)).description(summary);
    }),
  );
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
