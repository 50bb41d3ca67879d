import { dirname, relative, resolve } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { withNumberPlaceholders } from '../../base/exact-json.ts';
import { baseName } from '../../base/files/base-name.ts';
import { maskText } from '../../journal/run/secret-leaves.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { scenarioOf } from '../../scenario/load-scenario.ts';
import type { Problem } from '../../scenario/problems.ts';
import { withAgainst } from '../../scenario/resolve-against.ts';
import { schemaLine } from '../../scenario/schema-file.ts';
import { scenarioText } from '../../scenario/write-scenario.ts';
import { type AgainstOptions, againstAsked } from '../against/options.ts';
import { type DocumentOptions, documentOf, headerOf } from './document.ts';
import type { NoFileOptions } from './options.ts';

/** A scenario, and the text that says it in a file. */
export interface WrittenScenario {
  readonly scenario: ResolvedScenario;
  readonly text: string;
}

/** Placeholders of secrets are no secrets. */
const REFERENCE = /\$\{\s*(env|file)\s+[^}]*\}/g;

/**
 * The scenario of a command line, and its text for `file`. Throws PgsweepError `usage` with a line for each mistake, at
 * its option, and where the command line holds a secret, which the file would hold too.
 */
export function scenarioWithoutFile(options: DocumentOptions, file: string): WrittenScenario {
  const folder = dirname(resolve(file));
  const document = withAgainst(documentOf(options, folder), againstAsked(options)) as object;
  const origin = { folder, file: relative(process.cwd(), resolve(file)) || file, name: nameWithoutFile(options) };
  const scenario = scenarioOf(withNumberPlaceholders(document), origin, (problems) =>
    errorAtOptions(problems, options),
  );
  const text = `${schemaLine(file, process.cwd())}\n${scenarioText(document)}`;
  if (holdsSecret(text)) throw secretError(options);
  return { scenario, text };
}

function holdsSecret(text: string): boolean {
  const shown = text.replace(REFERENCE, ' ');
  return maskText(shown) !== shown;
}

/** Names the option, and what to write in its place; of the secret itself nothing. */
function secretError(options: NoFileOptions): PgsweepError {
  const { env = [], header = [], get = [], post = [], body = [], dataset, command } = options;
  const ways: readonly (readonly [written: string, option: string, instead: string])[] = [
    ...env.map((text) => [text, `--env ${nameIn(text)}`, `--env '${nameIn(text)}=${variable(nameIn(text))}'`] as const),
    ...header.map((text) => [text, `--header ${headerOf(text).name}`, instead(text)] as const),
    ...get.map((text) => [text, '--get', "a query such as '/items?api_key=${env API_KEY}'"] as const),
    ...post.map((text) => [text, '--post', "a query such as '/items?api_key=${env API_KEY}'"] as const),
    ...body.map((text) => [text, '--body', '\'{"password":"${env PASSWORD}"}\''] as const),
    [dataset ?? '', '--dataset', 'a variable of the shell that starts pgsweep, which its command has'],
    [command ?? '', '--command', "a variable: --env 'API_KEY=${env API_KEY}'"],
  ];
  const [, option = 'the command line', better = "--header 'authorization: Bearer ${env API_TOKEN}'"] =
    ways.find(([written]) => holdsSecret(written)) ?? [];
  return new PgsweepError('usage', `${option} holds a secret, which other users can read`, {
    hint: `Put it into a variable, and name that: ${better}`,
  });
}

function nameIn(assignment: string): string {
  return assignment.split('=')[0] ?? '';
}

/** `${env API_KEY}` for `api-key`. */
function variable(name: string): string {
  return `\${env ${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}}`;
}

/** The header with a variable in place of what is secret in it. */
function instead(line: string): string {
  const { of, name, value } = headerOf(line);
  const [, scheme = ''] = /^(Bearer |Basic |Token )/i.exec(value) ?? [];
  return `--header '${of === null ? '' : `${of} `}${name}: ${scheme}${variable(name === 'authorization' ? 'API_TOKEN' : name)}'`;
}

/** `pool-max`: what varies names the run folder and the scenario. */
export function nameWithoutFile({ env = [], setting = [], against = [], job }: NoFileOptions & AgainstOptions): string {
  const source = baseName(job ?? '');
  const varied = [...env, ...setting].filter((text) => /,|\d\.\.\d/.test(text));
  const ofJob = source === '' ? [] : [source.replace(/\.sql(\.gz)?$/i, '')];
  const names = against.length > 0 ? ['against', ...against] : varied.map((text) => text.split('=')[0] ?? '');
  const name = [...ofJob, ...names]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name.slice(0, MOST_OF_A_NAME) || 'sweep';
}

const MOST_OF_A_NAME = 60;

function errorAtOptions(problems: readonly Problem[], options: NoFileOptions): PgsweepError {
  // A title that is not asked for is made of what varies.
  const own = problems.filter(({ path }) => path[0] !== 'title' || options.title !== undefined);
  const lines = (own.length > 0 ? own : problems).map(
    (problem) => `${optionOf(problem, options)}: ${withoutPlace(problem.message)}`,
  );
  return new PgsweepError('usage', [...new Set(lines)].join('\n'), {
    hint: 'What is possible: pgsweep sweep --help',
  });
}

/** Where in a scenario a mistake is does not help somebody who wrote none. */
function withoutPlace(message: string): string {
  return message.replace(/^(title|target|dataset|against|sweep|tune|control|load|stack)(\.[^\s:]+)?: /, '');
}

/** The option that said what stands at a place of the scenario. */
function optionOf({ path, key }: Problem, options: NoFileOptions): string {
  const [first, second = key, third] = path;
  if (first === 'title') return '--title';
  if (first === 'dataset') return options.dataset === undefined ? '--sql' : '--dataset';
  if (first === 'target' && second === 'cwd') return '--cwd';
  if (first === 'load' && second === 'job') return '--job';
  if (first === 'variants' || (first === 'control' && options.index !== undefined)) return '--index';
  if (first === 'load' && (second === 'connections' || second === 'rate' || second === 'count')) return `--${second}`;
  if (first === 'load') return requestOption(path, options);
  if (first === 'target' && second === 'ready') return '--ready';
  if (first === 'target' && second !== 'env') return '--command';
  if (first === 'stack') return '--setting';
  if (first === 'against') return `--${second ?? 'against'}`;
  const name = first === 'target' ? third : second;
  const isSetting = (options.setting ?? []).some((text) => text.startsWith(`${name}=`));
  return `${isSetting ? '--setting' : '--env'}${name === undefined ? '' : ` ${name}`}`;
}

function requestOption([, , index, key]: Problem['path'], { get = [], post = [] }: NoFileOptions): string {
  if (key === 'headers') return '--header';
  const at = Number(index ?? 0);
  const option = at < get.length ? `--get ${get[at]}` : `--post ${post[at - get.length]}`;
  return key === 'body' ? `--body of ${option}` : option;
}
