import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { exactJsonOf } from '../../base/exact-json.ts';
import { withoutUndefined } from '../../base/schema-values.ts';
import { shortened } from '../../base/visible.ts';
import type { FactorValue } from '../../journal/scenario-record.ts';
import { type AgainstOptions, againstAsked } from '../against/options.ts';
import type { NoFileOptions } from './options.ts';

/** `--env NAME=10,20`, or `--setting`. */
interface Assignment {
  readonly option: '--env' | '--setting';
  readonly name: string;
  /** The control's first. Before a range it is all, and there may be none. */
  readonly values: readonly FactorValue[];
  /** `1..100`: both ends. */
  readonly range?: readonly [FactorValue, FactorValue];
}

/** Options of a scenario without a file. */
export interface DocumentOptions extends NoFileOptions, AgainstOptions {
  /** Set where values make a space to search, and no grid; so does a range. */
  readonly tune?: true;
}

/** The load levels where none are named, as in what `pgsweep init` writes; a search has one. */
const CONNECTIONS = { sweep: '1,25', tune: '25' } as const;
/** A variable that holds the size of a pool, as most services call it. */
const POOL_VARIABLE = /(^|_)POOL(_?(MAX|SIZE))?$/i;

/**
 * The scenario that the options say, as it would stand in a file of `folder`: paths are of the folder pgsweep runs in.
 * Throws PgsweepError `usage` for what is no scenario at all; any other mistake is the loader's to find.
 */
export function documentOf(options: DocumentOptions, folder: string): object {
  const assignments = assignmentsOf(options);
  const factors = assignments.filter(varies);
  const kind = options.tune || factors.some(({ range }) => range !== undefined) ? 'tune' : 'sweep';
  const against = againstAsked(options);
  const { job } = options;
  if (factors.length === 0 && against === undefined && options.index === undefined) {
    throw new PgsweepError('usage', 'nothing varies: expected --env or --setting with two values or more', {
      hint: 'The first value is the control: --env POOL_MAX=10,20,40. Or compare with a commit: --against main. Or search a range: --env POOL_MAX=1..100',
    });
  }
  const from = (path: string): string => relative(folder, resolve(path)).replaceAll('\\', '/') || '.';
  const fixed = (option: Assignment['option']): Record<string, FactorValue> | undefined => {
    const one = assignments.filter((each) => each.option === option && !varies(each));
    return one.length === 0 ? undefined : Object.fromEntries(one.map(({ name, values }) => [name, values[0] ?? '']));
  };
  const settings = fixed('--setting');
  const cwd = from(options.cwd ?? '.');
  return withoutUndefined({
    title:
      options.title ??
      (factors.map(({ name, values, range }) => `${name} ${range?.join(' to ') ?? values.join(', ')}`).join('; ') ||
        undefined),
    target:
      job !== undefined && options.command === undefined
        ? targetOfJob(fixed('--env'))
        : withoutUndefined({
            command: options.command,
            cwd: cwd === '.' ? undefined : cwd,
            env: fixed('--env'),
            ready: options.ready,
            pool: poolOf(factors),
          }),
    dataset: datasetOf(options, { from, cwd }),
    ...indexVariants(options, factors.length > 0),
    ...(factors.length > 0 && {
      [kind]: Object.fromEntries(
        factors.map(({ option, name, values, range }) => [
          name,
          { [option.slice(2)]: name, ...(range === undefined ? { levels: values } : { range }) },
        ]),
      ),
      control: Object.fromEntries(
        factors.flatMap(({ name, values: [first] }) => (first === undefined ? [] : [[name, first]])),
      ),
    }),
    load:
      job !== undefined
        ? { job: jobOf(job, options, { from, cwd }) }
        : withoutUndefined({
            connections: connectionsOf(options, CONNECTIONS[kind]),
            rate: options.rate === undefined ? undefined : levelsOf(options.rate),
            count: options.count === undefined ? undefined : numberOrText(options.count),
            requests: requestsOf(options),
          }),
    stack: settings && { postgres: { settings } },
  });
}

/** Paths of a scenario are taken from its folder, and a command of its data set runs there. */
interface Folders {
  from(path: string): string;
  /** Folder of the service. */
  readonly cwd: string;
}

/** A job needs no service, only its environment. */
function targetOfJob(env: Record<string, FactorValue> | undefined): object | undefined {
  return env && { env };
}

/** Names of SQL files. */
const SQL_NAME = /\.sql(\.gz)?$/i;

/** Job of --job: an SQL file that exists, or else a command. */
function jobOf(job: string, { get, post, connections, rate, count }: NoFileOptions, { from, cwd }: Folders): object {
  const sent = { get, post, connections, rate, count };
  const [option] = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (option !== undefined)
    throw new PgsweepError(
      'usage',
      `--${option} does not go with --job: a scenario file can run a job beside requests`,
    );
  if (existsSync(job)) {
    if (SQL_NAME.test(job)) return { sql: from(job) };
    const start = /\.[cm]?[jt]s$/.test(job) ? 'node' : 'sh';
    throw new PgsweepError('usage', `--job: ${shortened(job, 200)} is no SQL file (.sql or .sql.gz)`, {
      hint: `A command is given with its words: --job "${start} ${/\s/.test(job) ? `'${job}'` : job}"`,
    });
  }
  if (/\s/.test(job.trim())) return withoutUndefined({ command: job, cwd: cwd === '.' ? undefined : cwd });
  throw new PgsweepError('usage', `--job: there is no file ${shortened(job, 200)}`, {
    hint: 'Expected an SQL file, or a command with its words: --job "node import.js"',
  });
}

/** The variants of --index, and a control without any of them. */
function indexVariants({ index, job }: NoFileOptions, hasFactors: boolean): object {
  if (index === undefined) return {};
  if (job === undefined || hasFactors) {
    throw new PgsweepError(
      'usage',
      `--index goes with --job${hasFactors ? ', and not with several values of --setting or --env' : ''}`,
      {
        hint: 'A scenario file can combine them: pgsweep sweep --print writes one to begin with.',
      },
    );
  }
  const named = index.map((text) => {
    const [, name, statement] = /^([^:]+):\s*(\S.*)$/s.exec(text) ?? [];
    if (name === undefined || statement === undefined) {
      throw new PgsweepError('usage', `--index ${shortened(text, 100)}: expected NAME: CREATE INDEX ...`, {
        hint: "For example: --index 'by day: create index on orders (day)'",
      });
    }
    return [name.trim(), { createIndex: statement }] as const;
  });
  const names = [NO_INDEX, ...named.map(([name]) => name)];
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    const why = twice === NO_INDEX ? ': this is the name of the control' : ' stands twice';
    throw new PgsweepError('usage', `--index ${shortened(twice, 60)}${why}`, {
      hint: "Give each index its own name: --index 'by day: create index on orders (day)'",
    });
  }
  return { variants: Object.fromEntries([[NO_INDEX, {}], ...named]), control: NO_INDEX };
}

/** The control of --index. */
const NO_INDEX = 'no index';

/** Target of --sql or --dataset: a file or folder that exists, or else a command. */
function datasetOf({ sql, dataset }: NoFileOptions, { from, cwd }: Folders): object | undefined {
  if (dataset === undefined) return sql && { sql: sql.map(from) };
  if (sql !== undefined) throw new PgsweepError('usage', 'expected one of --sql and --dataset, not both');
  if (existsSync(dataset)) return SQL_NAME.test(dataset) ? { sql: from(dataset) } : { dump: from(dataset) };
  if (!/\s/.test(dataset.trim())) {
    throw new PgsweepError('usage', `--dataset: there is no file ${shortened(dataset, 200)}`, {
      hint: 'Expected an SQL file, what pg_dump has written, or a command with its words: --dataset "npm run migrate"',
    });
  }
  return { command: cwd === '.' ? dataset : `cd '${cwd.replaceAll("'", "'\\''")}' && ${dataset}` };
}

function assignmentsOf({ env = [], setting = [] }: NoFileOptions): Assignment[] {
  const all = [
    ...env.map((text) => assignmentOf('--env', text)),
    ...setting.map((text) => assignmentOf('--setting', text)),
  ];
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (twice === undefined) return all;
  throw new PgsweepError('usage', `${twice.option} ${shortened(twice.name, 60)} stands twice`, {
    hint: `Put all of its values into one: ${twice.option} ${shortened(twice.name, 60)}=10,20`,
  });
}

function assignmentOf(option: Assignment['option'], text: string): Assignment {
  const at = text.indexOf('=');
  if (at < 1) {
    const example = option === '--env' ? 'POOL_MAX=10,20,40' : 'work_mem=4MB,64MB';
    throw new PgsweepError('usage', `${option} ${shortened(text, 60)}: expected NAME=VALUE,VALUE, such as ${example}`);
  }
  const name = text.slice(0, at);
  const values = text.slice(at + 1).split(',');
  const [, from, to] = RANGE.exec(values.at(-1) ?? '') ?? [];
  if (values.slice(0, -1).some((value) => RANGE.test(value)) || (from !== undefined && values.length > 2)) {
    throw new PgsweepError('usage', `${option} ${shortened(text, 60)}: a range comes last, after at most one control`, {
      hint: `For example: ${option} ${shortened(name, 60)}=10,1..100`,
    });
  }
  if (from === undefined || to === undefined) return { option, name, values: values.map(numberOrText) };
  const range = [numberOrText(from), numberOrText(to)] as const;
  return { option, name, values: values.slice(0, -1).map(numberOrText), range };
}

/** `1..100`, `1MB..256MB`; a path such as `../a` is none. */
const RANGE = /^(\d[\w.]*?)\.\.(\d[\w.]*)$/;

function varies({ values, range }: Assignment): boolean {
  return values.length > 1 || range !== undefined;
}

/** Where both are given, the loader says so. */
function connectionsOf({ connections, rate }: NoFileOptions, usual: string): ReturnType<typeof levelsOf> | undefined {
  return connections === undefined && rate !== undefined ? undefined : levelsOf(connections ?? usual);
}

/** As it was given where it is no list of numbers: the loader says what is expected. */
function levelsOf(text: string): string | (string | number)[] {
  const levels = text.split(',').map(numberOrText);
  return levels.every((level) => typeof level === 'number') ? levels : text;
}

/** A number where it would be written the same. */
function numberOrText(text: string): string | number {
  const number = Number(text);
  return text !== '' && Number.isFinite(number) && String(number) === text ? number : text;
}

function poolOf(factors: readonly Assignment[]): string | undefined {
  const isPool = ({ option, name, values, range }: Assignment): boolean =>
    option === '--env' &&
    POOL_VARIABLE.test(name) &&
    [...values, ...(range ?? [])].every((value) => typeof value === 'number' && Number.isInteger(value) && value > 0);
  return factors.find(isPool)?.name;
}

function requestsOf(options: DocumentOptions): object[] {
  const { post = [], body = [], header = [], against } = options;
  // Of two releases any request says something.
  const get = options.get ?? (against !== undefined && post.length === 0 ? ['/'] : []);
  if (get.length + post.length === 0)
    throw new PgsweepError('usage', 'nothing to send: expected --get PATH, or --post PATH with --body');
  if (body.length > post.length)
    throw new PgsweepError('usage', `${body.length} --body for ${post.length} --post: expected one for each at most`);
  const headers = header.map(headerOf);
  const requests = [...get.map((path) => `GET ${path}`), ...post.map((path) => `POST ${path}`)];
  const lost = headers.find(({ of }) => of !== null && !requests.includes(of));
  if (lost !== undefined) {
    throw new PgsweepError('usage', `--header: there is no request ${shortened(lost.of ?? '', 100)}`, {
      hint: `It may be of one of these, or of all: ${shortened(requests.join(', '), 300)}`,
    });
  }
  const headersOf = (request: string): Record<string, string> | undefined => {
    const own = headers.filter(({ of }) => of === null || of === request);
    return own.length === 0 ? undefined : Object.fromEntries(own.map(({ name, value }) => [name, value]));
  };
  return [
    ...get.map((path) => withoutUndefined({ path, headers: headersOf(`GET ${path}`) })),
    ...post.map((path, index) =>
      withoutUndefined({ method: 'POST', path, headers: headersOf(`POST ${path}`), body: bodyOf(body[index]) }),
    ),
  ];
}

/** A line of --header. */
interface Header {
  /** The request that it is of, such as `GET /items`; null: all of them. */
  readonly of: string | null;
  readonly name: string;
  readonly value: string;
}

/** No name of a header has a space in it, so a space shows that a request stands before it. */
export function headerOf(line: string): Header {
  const [, of = null, rest = line] = /^((?:GET|POST) \/\S*)\s+(.*)$/s.exec(line) ?? [];
  const at = rest.indexOf(':');
  if (at < 1 || /[\r\n]/.test(line))
    throw new PgsweepError('usage', `--header: expected NAME: VALUE, such as 'accept: text/html'`);
  return { of, name: rest.slice(0, at).trim(), value: rest.slice(at + 1).trim() };
}

/** JSON as it would stand in a file, so that "${unique}" alone is a number; any other text is sent as it is. */
function bodyOf(text: string | undefined): unknown {
  return text === undefined || !/^\s*[[{]/.test(text) ? text : (exactJsonOf(text) ?? text);
}
