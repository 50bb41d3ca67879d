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
  readonly values: readonly FactorValue[];
}

/** The load levels where none are named, as in what `pgsweep init` writes. */
const CONNECTIONS = '1,25';
/** A variable that holds the size of a pool, as most services call it. */
const POOL_VARIABLE = /(^|_)POOL(_?(MAX|SIZE))?$/i;

/**
 * The scenario that the options say, as it would stand in a file of `folder`: paths are of the folder pgsweep runs in.
 * Throws PgsweepError `usage` for what is no scenario at all; any other mistake is the loader's to find.
 */
export function documentOf(options: NoFileOptions & AgainstOptions, folder: string): object {
  const assignments = assignmentsOf(options);
  const factors = assignments.filter(({ values }) => values.length > 1);
  const against = againstAsked(options);
  if (factors.length === 0 && against === undefined) {
    throw new PgsweepError('usage', 'nothing varies: expected --env or --setting with two values or more', {
      hint: 'The first value is the control: --env POOL_MAX=10,20,40. Or compare with a commit: --against main',
    });
  }
  const from = (path: string): string => relative(folder, resolve(path)).replaceAll('\\', '/') || '.';
  const fixed = (option: Assignment['option']): Record<string, FactorValue> | undefined => {
    const one = assignments.filter((each) => each.option === option && each.values.length === 1);
    return one.length === 0 ? undefined : Object.fromEntries(one.map(({ name, values }) => [name, values[0] ?? '']));
  };
  const settings = fixed('--setting');
  const cwd = from(options.cwd ?? '.');
  return withoutUndefined({
    title: options.title ?? (factors.map(({ name, values }) => `${name} ${values.join(', ')}`).join('; ') || undefined),
    target: withoutUndefined({
      command: options.command,
      cwd: cwd === '.' ? undefined : cwd,
      env: fixed('--env'),
      ready: options.ready,
      pool: poolOf(factors),
    }),
    dataset: datasetOf(options, { from, cwd }),
    ...(factors.length > 0 && {
      sweep: Object.fromEntries(
        factors.map(({ option, name, values }) => [name, { [option.slice(2)]: name, levels: values }]),
      ),
      control: Object.fromEntries(factors.map(({ name, values }) => [name, values[0]])),
    }),
    load: withoutUndefined({
      connections: connectionsOf(options),
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

/** Target of --sql or --dataset: a file or folder that exists, or else a command. */
function datasetOf({ sql, dataset }: NoFileOptions, { from, cwd }: Folders): object | undefined {
  if (dataset === undefined) return sql && { sql: sql.map(from) };
  if (sql !== undefined) throw new PgsweepError('usage', 'expected one of --sql and --dataset, not both');
  if (existsSync(dataset)) return /\.sql(\.gz)?$/i.test(dataset) ? { sql: from(dataset) } : { dump: from(dataset) };
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
  const values = text
    .slice(at + 1)
    .split(',')
    .map(numberOrText);
  return { option, name: text.slice(0, at), values };
}

/** Where both are given, the loader says so. */
function connectionsOf({ connections, rate }: NoFileOptions): ReturnType<typeof levelsOf> | undefined {
  return connections === undefined && rate !== undefined ? undefined : levelsOf(connections ?? CONNECTIONS);
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
  const isPool = ({ option, name, values }: Assignment): boolean =>
    option === '--env' &&
    POOL_VARIABLE.test(name) &&
    values.every((value) => typeof value === 'number' && Number.isInteger(value) && value > 0);
  return factors.find(isPool)?.name;
}

function requestsOf(options: NoFileOptions & AgainstOptions): object[] {
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
