import { relative, resolve } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { withoutUndefined } from '../../base/schema-values.ts';
import { shortened } from '../../base/visible.ts';
import type { FactorValue } from '../../journal/scenario-record.ts';
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
export function documentOf(options: NoFileOptions, folder: string): object {
  const assignments = assignmentsOf(options);
  const factors = assignments.filter(({ values }) => values.length > 1);
  if (factors.length === 0) {
    throw new PgsweepError('usage', 'nothing varies: expected --env or --setting with two values or more', {
      hint: 'The first value is the control: --env POOL_MAX=10,20,40',
    });
  }
  const from = (path: string): string => relative(folder, resolve(path)).replaceAll('\\', '/') || '.';
  const fixed = (option: Assignment['option']): Record<string, FactorValue> | undefined => {
    const one = assignments.filter((each) => each.option === option && each.values.length === 1);
    return one.length === 0 ? undefined : Object.fromEntries(one.map(({ name, values }) => [name, values[0] ?? '']));
  };
  const settings = fixed('--setting');
  return withoutUndefined({
    title: options.title ?? factors.map(({ name, values }) => `${name} ${values.join(', ')}`).join('; '),
    target: withoutUndefined({
      command: options.command,
      cwd: from('.') === '.' ? undefined : from('.'),
      env: fixed('--env'),
      ready: options.ready,
      pool: poolOf(factors),
    }),
    dataset: options.sql && { sql: options.sql.map(from) },
    sweep: Object.fromEntries(
      factors.map(({ option, name, values }) => [name, { [option.slice(2)]: name, levels: values }]),
    ),
    control: Object.fromEntries(factors.map(({ name, values }) => [name, values[0]])),
    load: withoutUndefined({
      connections: connectionsOf(options),
      rate: options.rate === undefined ? undefined : levelsOf(options.rate),
      count: options.count === undefined ? undefined : numberOrText(options.count),
      requests: requestsOf(options),
    }),
    stack: settings && { postgres: { settings } },
  });
}

function assignmentsOf({ env = [], setting = [] }: NoFileOptions): Assignment[] {
  const all = [
    ...env.map((text) => assignmentOf('--env', text)),
    ...setting.map((text) => assignmentOf('--setting', text)),
  ];
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (twice === undefined) return all;
  throw new PgsweepError('usage', `${twice.option} ${shortened(twice.name, 60)} stands twice`, {
    hint: `All of its values stand in one: ${twice.option} ${shortened(twice.name, 60)}=10,20`,
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

function requestsOf({ get = [], post = [], body = [], header = [] }: NoFileOptions): object[] {
  if (get.length + post.length === 0)
    throw new PgsweepError('usage', 'nothing to send: expected --get PATH, or --post PATH with --body');
  if (body.length > post.length)
    throw new PgsweepError('usage', `${body.length} --body for ${post.length} --post: expected one for each at most`);
  const headers = header.length === 0 ? undefined : Object.fromEntries(header.map(headerOf));
  return [
    ...get.map((path) => withoutUndefined({ path, headers })),
    ...post.map((path, index) => withoutUndefined({ method: 'POST', path, headers, body: bodyOf(body[index]) })),
  ];
}

function headerOf(line: string): [string, string] {
  const at = line.indexOf(':');
  if (at < 1 || /[\r\n]/.test(line))
    throw new PgsweepError('usage', `--header: expected NAME: VALUE, such as 'accept: text/html'`);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

/** JSON as it would stand in a file, so that "${unique}" alone is a number; any other text is sent as it is. */
function bodyOf(text: string | undefined): unknown {
  return text === undefined || !/^\s*[[{]/.test(text) ? text : (jsonOf(text) ?? text);
}
