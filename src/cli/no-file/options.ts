import { type Command, Option } from 'commander';
import { PgsweepError } from '../../base/errors.ts';

/** Options of a sweep without a scenario file. */
export interface NoFileOptions {
  readonly command?: string;
  readonly job?: string;
  readonly index?: readonly string[];
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

const REPEATED = '(repeatable)';

/** Name of each option and its description in the help. */
const helps: Readonly<Record<keyof NoFileOptions, readonly [flags: string, meaning: string]>> = {
  command: [
    '--command <text>',
    'how to start the service; it gets PORT and DATABASE_URL, listens on 127.0.0.1 and ends on SIGTERM',
  ],
  job: ['--job <source>', 'instead of --command: an SQL file or a command whose time is judged'],
  index: ['--index <name: statement>', `of --job: a variant, 'ix: create index on orders (day)' ${REPEATED}`],
  cwd: ['--cwd <dir>', 'folder of the service and of a command of --dataset (default: this one)'],
  env: [
    '--env <name=values>',
    'an environment variable and its values, separated by commas: each is a variant, the first is the control; several --env make a grid; a single value is set for all variants; 1..100 is a range to search, 10,1..100 with a control',
  ],
  setting: ['--setting <name=values>', 'a Postgres setting and its values, as with --env'],
  connections: ['--connections <numbers>', 'load levels, separated by commas (default: 1,25; tune: 25)'],
  rate: ['--rate <numbers>', 'load levels in requests per second instead, sent on time whatever is not answered yet'],
  count: ['--count <number>', 'send exactly this many requests over the connections, and judge how long they take'],
  get: ['--get <path>', `path of a GET request ${REPEATED}; may hold placeholders such as \${integer 1 1000}`],
  post: ['--post <path>', `path of a POST request ${REPEATED}`],
  body: ['--body <text>', `body for --post, JSON or text ${REPEATED}; the first body is for the first --post`],
  header: [
    '--header <line>',
    `header of all requests: 'authorization: Bearer \${env API_TOKEN}'; or of one: 'POST /items content-type: text/csv' ${REPEATED}`,
  ],
  sql: ['--sql <file>', `SQL file that creates and fills the tables ${REPEATED}`],
  dataset: [
    '--dataset <source>',
    'instead of --sql: an SQL file, what pg_dump wrote, or a command that fills the tables',
  ],
  ready: ['--ready <path>', 'path that answers 2xx once the service is ready (default: /health)'],
  title: ['--title <text>', 'headline of the report'],
  print: ['--print', 'print the scenario as YAML, and run nothing'],
};

/** The names of these options, as commander knows them. */
export const noFileNames = Object.keys(helps) as (keyof NoFileOptions)[];

const repeated: readonly (keyof NoFileOptions)[] = ['index', 'env', 'setting', 'get', 'post', 'body', 'header', 'sql'];

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
 * True if these options replace a scenario file; `named` are the files on the command line. Throws PgsweepError `usage` for
 * both at once, and for options without --command or --job.
 */
export function isWithoutFile(options: NoFileOptions, named: readonly string[]): boolean {
  const given = noFileNames.filter((name) => options[name] !== undefined);
  const [first] = given;
  if (first === undefined) return false;
  if (named.length > 0) {
    throw new PgsweepError('usage', `--${first} replaces a scenario file, but the command line names ${named[0]} too`, {
      hint: 'Leave one of them out. To change what is in the file, edit it.',
    });
  }
  if (options.command === undefined && options.job === undefined) {
    throw new PgsweepError('usage', `--${first} replaces a scenario file, and needs --command or --job too`, {
      hint: "For example: pgsweep sweep --command 'node server.js' --env POOL_MAX=10,20 --get /items",
    });
  }
  return true;
}
