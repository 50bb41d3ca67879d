import { type Command, Option } from 'commander';
import { PgsweepError } from '../../base/errors.ts';

/** Options of a sweep without a scenario file. */
export interface NoFileOptions {
  readonly command?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly setting?: readonly string[];
  readonly connections?: string;
  readonly rate?: string;
  readonly count?: string;
  readonly get?: readonly string[];
  readonly post?: readonly string[];
  readonly body?: readonly string[];
  readonly header?: readonly string[];
  readonly sql?: readonly string[];
  readonly dataset?: string;
  readonly ready?: string;
  readonly title?: string;
  readonly print?: boolean;
}

const HEADING = 'Without a scenario file:';

const REPEATED = 'may be given several times';

/** Name of each option and its description in the help. */
const helps: Readonly<Record<keyof NoFileOptions, readonly [flags: string, meaning: string]>> = {
  command: [
    '--command <text>',
    'how to start the service: it gets PORT and DATABASE_URL, listens on 127.0.0.1 and ends on SIGTERM',
  ],
  cwd: ['--cwd <dir>', 'the folder in which it is started, and a command of --dataset (default: this one)'],
  env: [
    '--env <name=values>',
    'an environment variable and its values, divided by commas: each is a variant, the first the control; several --env make a grid; one value alone is set for all variants',
  ],
  setting: ['--setting <name=values>', 'the same for a Postgres setting'],
  connections: ['--connections <numbers>', 'load levels, divided by commas (default: 1,25)'],
  rate: ['--rate <numbers>', 'in their place: requests a second, sent whether earlier ones were answered or not'],
  count: ['--count <number>', 'so many requests over these connections and no more: their time is judged'],
  get: ['--get <path>', `a request to send; ${REPEATED}, and hold placeholders such as \${integer 1 1000}`],
  post: ['--post <path>', 'the same, with a body'],
  body: ['--body <text>', 'the body of the --post in the same place among those: JSON, or a text'],
  header: [
    '--header <line>',
    `a header of all requests: 'authorization: Bearer \${env API_TOKEN}'; of one: 'POST /items content-type: text/csv'; ${REPEATED}`,
  ],
  sql: ['--sql <file>', `SQL that makes and fills the tables; ${REPEATED}`],
  dataset: [
    '--dataset <what>',
    'in its place: an SQL file, what pg_dump has written, or a command that makes and fills the tables, such as npm run migrate',
  ],
  ready: ['--ready <path>', 'the path that answers 2xx once the service is ready (default: /health)'],
  title: ['--title <text>', 'the headline of the report'],
  print: ['--print', 'only print the scenario as YAML; run nothing'],
};

/** The names of these options, as commander knows them. */
export const noFileNames = Object.keys(helps) as (keyof NoFileOptions)[];

const repeated: readonly (keyof NoFileOptions)[] = ['env', 'setting', 'get', 'post', 'body', 'header', 'sql'];

/** The options of a command that can sweep without a scenario file. */
export function withNoFileOptions(command: Command): Command {
  for (const name of noFileNames) {
    const option = new Option(...helps[name]).helpGroup(HEADING);
    if (repeated.includes(name)) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
    command.addOption(option);
  }
  return command;
}

/**
 * Whether these options stand in place of a scenario file; `named` are the files on the command line. Throws PgsweepError
 * `usage` where there are both, or options without --command.
 */
export function isWithoutFile(options: NoFileOptions, named: readonly string[]): boolean {
  const given = noFileNames.filter((name) => options[name] !== undefined);
  const [first] = given;
  if (first === undefined) return false;
  if (named.length > 0) {
    throw new PgsweepError('usage', `--${first} stands in place of a scenario file, and ${named[0]} is one`, {
      hint: 'Name one of the two; what the file says is changed in the file.',
    });
  }
  if (options.command === undefined) {
    throw new PgsweepError('usage', `--${first} stands in place of a scenario file: expected --command too`, {
      hint: "For example: pgsweep sweep --command 'node server.js' --env POOL_MAX=10,20 --get /items",
    });
  }
  return true;
}
