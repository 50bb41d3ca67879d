import { Argument, Command } from 'commander';
import type { Io } from '../io.ts';
import { type CommandWords, completionScripts, type Shell, type Takes } from './scripts.ts';

/** Placeholders of options whose value is a file or a folder. */
const paths = ['dir', 'file'];

export function completionCommand(io: Io): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      "\nExamples:\n  echo 'source <(pgsweep completion bash)' >> ~/.bashrc\n  echo 'source <(pgsweep completion zsh)' >> ~/.zshrc\n  pgsweep completion fish > ~/.config/fish/completions/pgsweep.fish",
    )
    .action((shell: Shell, _: unknown, command: Command) => {
      io.out(completionScripts[shell]((command.parent ?? command).commands.map(wordsOf)));
    });
}

function wordsOf(command: Command): CommandWords {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    description: brief(command.description()),
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, short, description, flags, required, optional, argChoices }) => {
        const placeholder = /[<[](\w+)/.exec(flags)?.[1] ?? '';
        const takes: Takes =
          required || optional ? (argChoices ?? (paths.includes(placeholder) ? 'path' : 'anything')) : 'nothing';
        return long === undefined ? [] : [{ long, short, description: brief(description), takes }];
      }),
    takes: argument === undefined ? 'nothing' : (argument.argChoices ?? 'path'),
  };
}

/** What is said before any detail. */
function brief(description: string): string {
  return description.split(/ \(|;/)[0] ?? '';
}
