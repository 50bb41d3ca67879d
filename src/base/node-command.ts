/** The command that runs a TypeScript file of ours in a process of its own, with the loader that this process has. */
export function nodeCommand(script: string, ...args: string[]): [string, ...string[]] {
  return [process.execPath, '--import', import.meta.resolve('./typescript.mjs'), script, ...args];
}
