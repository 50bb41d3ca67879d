import { runCli } from '../../src/cli/program.ts';

/**
 * What `pgsweep COMMAND --help` prints, for every command and those below it, in the order of `pgsweep --help`. An option
 * that is explained for an earlier command is only named.
 */
export async function commandHelp(): Promise<string> {
  const explained = new Set<string>();
  const parts: string[] = [];
  for (const command of await commandsBelow()) {
    const help = shortened((await helpOf(...command)).trim(), explained);
    parts.push(`### pgsweep ${command.join(' ')}\n\n\`\`\`text\n${help}\n\`\`\``);
  }
  return parts.join('\n\n');
}

async function commandsBelow(...above: string[]): Promise<string[][]> {
  // No list of commands, but examples of them, ends the help.
  const [, listed = ''] = /^Commands:\n((?: .*\n)+)/m.exec(await helpOf(...above)) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].flatMap(([, name]) => name ?? []);
  const commands: string[][] = [];
  for (const name of names.filter((one) => one !== 'help')) {
    commands.push([...above, name], ...(await commandsBelow(...above, name)));
  }
  return commands;
}

/** An option with its text, which may go on in further lines. */
const OPTION = /^ {2}(?:-\w, )?(--[\w-]+).*\n(?: {4,}.*\n)*/gm;

function shortened(help: string, explained: Set<string>): string {
  const paragraphs = help.split(/\n\n+/).map((paragraph) => {
    const repeated: string[] = [];
    const short = `${paragraph}\n`.replace(OPTION, (option, name: string) => {
      if (name === '--help') return '';
      const words = option.split(/\s+/).join(' ');
      if (!explained.has(words)) {
        explained.add(words);
        return option;
      }
      repeated.push(name);
      return '';
    });
    if (repeated.length === 0) return /^Options:\n$/.test(short) ? '' : short.trimEnd();
    return `${short}${wrapped(`as above: ${repeated.join(' ')}`)}`;
  });
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

const WIDTH_COLUMNS = 100;

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > WIDTH_COLUMNS - 2) lines.push(`   ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => ` ${line}`).join('\n');
}

async function helpOf(...command: string[]): Promise<string> {
  let text = '';
  await runCli([...command, '--help'], {
    out: (part) => {
      text += part;
    },
    err: () => {},
    outColour: false,
    outWidthColumns: WIDTH_COLUMNS,
    terminal: null,
    signal: new AbortController().signal,
  });
  return text;
}
