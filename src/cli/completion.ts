import { Argument, Command } from 'commander';
import type { Io } from './io.ts';

/** Completion of an option or an argument: a path, one of some words, or nothing that can be listed. */
export type Takes = 'nothing' | 'path' | 'anything' | readonly string[];

interface OptionWords {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takes: Takes;
}

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
  readonly takes: Takes;
  /** Commands below it, as `history` has them. */
  readonly commands: readonly CommandWords[];
}

export type Shell = keyof typeof completionScripts;

/** For each shell, the script that has it complete these commands of pgsweep. It starts no program of ours. */
export const completionScripts = { bash, fish, zsh } as const satisfies Record<
  string,
  (commands: readonly CommandWords[]) => string
>;

const programOptions = ['--help', '--version'];

function bash(commands: readonly CommandWords[]): string {
  return `# pgsweep for bash: source <(pgsweep completion bash)
_pgsweep() {
  local words='' current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # Bash takes the = of --stack=embedded for a word.
  if [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $current == = ]]; then current=''; fi
  case $COMP_CWORD:\${COMP_WORDS[1]}:\${COMP_WORDS[2]} in
    1:*) words=${quoted([...commands.map(({ name }) => name), ...programOptions].join(' '))} ;;
${commands.map((command) => bashCommand(command)).join('\n')}
  esac
  # What is returned without words is completed as a path.
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _pgsweep pgsweep
`;
}

function bashCommand({ name, options, takes, commands }: CommandWords, above?: string): string {
  if (commands.length > 0) {
    const words = [...commands, ...options].map((one) => ('long' in one ? one.long : one.name)).join(' ');
    const below = commands.map((command) => bashCommand(command, name));
    return [`    2:${name}:*) words=${quoted(words)} ;;`, ...below].join('\n');
  }
  const values = options
    .filter((option) => option.takes !== 'nothing')
    .map(({ long, short, takes }) => {
      const names = short === undefined ? [long] : [long, short];
      return `        ${names.map((name) => `${name}:*`).join(' | ')}) ${bashAction(takes)} ;;\n`;
    });
  return `    *:${above === undefined ? `${name}:*` : `${above}:${name}`})
      case $previous:$current in
${values.join('')}        *:-*) words=${quoted(options.map(({ long }) => long).join(' '))} ;;
        *) ${bashAction(takes)} ;;
      esac
      ;;`;
}

function bashAction(takes: Takes): string {
  if (takes === 'path') return 'return';
  return typeof takes === 'string' ? ':' : `words=${quoted(takes.join(' '))}`;
}

function fish(commands: readonly CommandWords[]): string {
  const linesOf = (
    { name, description, options, takes, commands: below }: CommandWords,
    where: string,
    above: string,
  ): string[] => {
    const seen = `${above}__fish_seen_subcommand_from ${name}`;
    const names = below.map((command) => command.name).join(' ');
    const within = `-n ${fishQuoted(seen)}`;
    return [
      `-n ${fishQuoted(where)} -a ${name} -d ${fishQuoted(description)}`,
      ...below.flatMap((command) =>
        linesOf(command, `${seen}; and not __fish_seen_subcommand_from ${names}`, `${seen}; and `),
      ),
      ...(takes === 'nothing' ? [] : [`${within} ${fishAction(takes)}`]),
      ...options.map(
        ({ long, short, description, takes }) =>
          `${within}${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)} ${takes === 'nothing' ? '' : `-r ${fishAction(takes)} `}-d ${fishQuoted(description)}`,
      ),
    ];
  };
  const lines = commands.flatMap((command) => linesOf(command, '__fish_use_subcommand', ''));
  const program = programOptions.map((option) => `-n __fish_use_subcommand -l ${option.slice(2)}`);
  return `# pgsweep for fish: pgsweep completion fish > ~/.config/fish/completions/pgsweep.fish
${['-f', ...program, ...lines].map((line) => `complete -c pgsweep ${line}\n`).join('')}`;
}

function fishAction(takes: Takes): string {
  if (takes === 'path') return '-F';
  return typeof takes === 'string' ? '-f' : `-f -a ${fishQuoted(takes.join(' '))}`;
}

function zsh(commands: readonly CommandWords[]): string {
  return `#compdef pgsweep
# pgsweep for zsh: source <(pgsweep completion zsh), below compinit
_pgsweep() {
  local -a commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}\n`).join('')}  )
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- ${programOptions.join(' ')}
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${commands.map(zshCommand).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _pgsweep "$@"; else compdef _pgsweep pgsweep; fi
`;
}

function zshCommand({ name, options, takes, commands }: CommandWords): string {
  if (commands.length > 0) {
    return `    ${name})
      if ((CURRENT == 2)); then
        compadd -- ${commands.map((command) => command.name).join(' ')}
        return
      fi
      shift words
      ((CURRENT--))
      case $words[1] in
${commands.map(zshCommand).join('\n')}
      esac
      ;;`;
  }
  const specs = options.map(
    ({ long, description, takes }) =>
      `${long}${takes === 'nothing' ? '' : '='}[${zshText(description)}]${takes === 'nothing' ? '' : zshAction(takes)}`,
  );
  const argument = takes === 'nothing' ? [] : [`1${zshAction(takes)}`];
  return `    ${name})
      _arguments ${[...specs, ...argument].map(quoted).join(' ')}
      ;;`;
}

function zshAction(takes: Takes): string {
  if (takes === 'path') return ':path:_files';
  return typeof takes === 'string' ? ':value: ' : `:value:(${takes.join(' ')})`;
}

function zshText(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** Placeholders of options whose value is a file or a folder. */
const paths = ['dir', 'file', 'source'];

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
  const shown = command.createHelp().visibleOptions(command);
  // Those that a help leaves out to be short are completed, too.
  const options = [...command.options, ...shown.filter((option) => !command.options.includes(option))];
  return {
    name: command.name(),
    description: brief(command.description()),
    options: options.flatMap(({ long, short, description, flags, required, optional, argChoices }) => {
      const placeholder = /[<[](\w+)/.exec(flags)?.[1] ?? '';
      const takes: Takes =
        required || optional ? (argChoices ?? (paths.includes(placeholder) ? 'path' : 'anything')) : 'nothing';
      return long === undefined ? [] : [{ long, short, description: brief(description), takes }];
    }),
    takes: argument === undefined ? 'nothing' : (argument.argChoices ?? 'path'),
    commands: command.commands.map(wordsOf),
  };
}

/** First sentence of a description. */
function brief(description: string): string {
  return description.split(/ \(|;/)[0] ?? '';
}
