import { runCli } from '../../src/cli/program.ts';

/** Runs a command that starts no process in this one. */
export async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCli(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    outColour: false,
    outWidthColumns: 120,
    terminal: null,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}
