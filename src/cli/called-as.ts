import { relative, sep } from 'node:path';
import { commandNames } from './program.ts';

/** How this process was started, as far as it says how to start another. */
interface Call {
  /** The file that Node was given: argv[1]. */
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const PROGRAM = 'pgsweep';
/** Where npm puts programs of packages. */
const INSTALLED = `${sep}node_modules${sep}`;

/** Prefix of commands in this folder: `npm run pgsweep --` in a clone, `npx --no pgsweep` if installed. */
export function callName({ script, cwd, env }: Call): string {
  // A script of npm's that starts another program, such as the tests, says nothing of how people start this one.
  if (env.npm_lifecycle_script?.includes('src/cli/bin.mjs')) return 'npm run pgsweep --';
  const at = script.lastIndexOf(INSTALLED);
  const isHere = at >= 0 && !relative(script.slice(0, at), cwd).startsWith('..');
  const [folder = ''] = script.slice(at + INSTALLED.length).split(sep);
  return isHere && ['.bin', PROGRAM].includes(folder) ? 'npx --no pgsweep' : PROGRAM;
}

const COMMAND = new RegExp(`(?<=^|[\\s\`(:])pgsweep (?=(?:--help|COMMAND|${commandNames.join('|')})\\b)`, 'gm');

/** Options that make output for programs, which is left as it is. */
const forPrograms = ['--json', '--csv', '--export', '--print'];

/** The commands in a text as they can be called here. */
export function withCallName(name: string, text: string): string {
  return name === PROGRAM ? text : text.replace(COMMAND, () => `${name} `);
}

/** True where people read what a command line prints. */
export function isForPeople(args: readonly string[]): boolean {
  return args[0] !== 'completion' && !args.some((arg) => forPrograms.includes(arg.split('=')[0] ?? ''));
}
