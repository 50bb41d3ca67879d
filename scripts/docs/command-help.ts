import { runCli } from '../../src/cli/program.ts';

/** What `pgsweep COMMAND --help` prints, for every command in the order of `pgsweep --help`. */
export async function commandHelp(): Promise<string> {
  const all = await helpOf();
  const names = [...all.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].flatMap(([, name]) => name ?? []);
  const parts: string[] = [];
  for (const name of names.filter((one) => one !== 'help')) {
    parts.push(`### pgsweep ${name}\n\n\`\`\`text\n${(await helpOf(name)).trim()}\n\`\`\``);
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
