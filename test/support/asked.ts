/** What a command line asks for; or what is printed instead, and the exit code. */
export type Asked<T> =
  | { readonly kind: 'run'; readonly what: T }
  | { readonly kind: 'told'; readonly text: string; readonly exitCode: 0 | 2 };

/** A command line that asks for what there is not. */
export class Unasked extends Error {}

/** Reads a command line: `read` throws Unasked, or what node's parseArgs throws, where it is wrong. */
export function askedOf<T extends { readonly help?: boolean | undefined }>(usage: string, read: () => T): Asked<T> {
  try {
    const what = read();
    return what.help ? { kind: 'told', text: usage, exitCode: 0 } : { kind: 'run', what };
  } catch (error) {
    const isWrong = error instanceof Unasked || (error instanceof TypeError && 'code' in error);
    if (!isWrong) throw error;
    return { kind: 'told', text: `${error.message}\n\n${usage}`, exitCode: 2 };
  }
}

/** The lines of some names with what they are about, for a usage. */
export function listOf(about: Readonly<Record<string, string>>): string {
  const widest = Math.max(...Object.keys(about).map((name) => name.length));
  return Object.entries(about)
    .map(([name, text]) => `  ${name.padEnd(widest)}  ${text}`)
    .join('\n');
}

/** What is asked for; a process that is asked for help, or for what there is not, says so and ends. */
export function whatIsAsked<T>(asked: Asked<T>): T {
  if (asked.kind === 'run') return asked.what;
  (asked.exitCode === 0 ? console.log : console.error)(asked.text);
  process.exit(asked.exitCode);
}
