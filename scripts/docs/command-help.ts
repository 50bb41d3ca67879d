import { runCli } from '../../src/cli/program.ts';

/** What `pgsweep COMMAND --help` prints, for every command and those below it, in the order of `pgsweep --help`. */
export async function commandHelp(...above: string[]): Promise<string> {
  // No list of commands, but examples of them, ends the help.
  const [, listed = ''] = /^Commands:\n((?: .*\n)+)/m.exec(await helpOf(...above)) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].flatMap(([, name]) => name ?? []);
  const parts: string[] = [];
  for (const name of names.filter((one) => one !== 'help')) {
    const command = [...above, name];
    parts.push(`### pgsweep ${command.join(' ')}\n\n\`\`\`text\n${(await helpOf(...command)).trim()}\n\`\`\``);
    const below = await commandHelp(...command);
    if (below !== '') parts.push(below);
  }
  return parts.join('\n\n');
}

async function helpOf(...command: string[]): Promise<string> {
  let text = '';
  await runCli([...command, '--help'], {
    out: (part) => {
      text += part;
    },
    err: () => {},
    outColour: false,
    outWidthColumns: 100,
    terminal: null,
    signal: new AbortController().signal,
  });
  return text;
}
