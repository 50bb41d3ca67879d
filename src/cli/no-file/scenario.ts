import { dirname, relative, resolve } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { scenarioOf } from '../../scenario/load-scenario.ts';
import type { Problem } from '../../scenario/problems.ts';
import { schemaLine } from '../../scenario/schema-file.ts';
import { maskText } from '../../scenario/secret-leaves.ts';
import { scenarioText } from '../../scenario/write-scenario.ts';
import { documentOf } from './document.ts';
import type { NoFileOptions } from './options.ts';

/** A scenario, and the text that says it in a file. */
export interface WrittenScenario {
  readonly scenario: ResolvedScenario;
  readonly text: string;
}

/** What stands for a secret is none. */
const REFERENCE = /\$\{\s*(env|file)\s+[^}]*\}/g;

/**
 * The scenario of a command line, and its text for `file`. Throws PgsweepError `usage` with a line for each mistake, at
 * its option, and where the command line holds a secret, which the file would hold too.
 */
export function scenarioWithoutFile(options: NoFileOptions, file: string): WrittenScenario {
  const folder = dirname(resolve(file));
  const document = documentOf(options, folder);
  const origin = { folder, file: relative(process.cwd(), resolve(file)) || file, name: nameWithoutFile(options) };
  const scenario = scenarioOf(document, origin, (problems) => errorAtOptions(problems, options));
  const text = `${schemaLine(file, process.cwd())}\n${scenarioText(document)}`;
  const shown = text.replace(REFERENCE, ' ');
  if (maskText(shown) !== shown) {
    throw new PgsweepError(
      'usage',
      'the command line holds a secret: a password, token or key, or a header such as authorization',
      {
        hint: "Other users can read command lines. Put it into a variable, and name that: --header 'authorization: Bearer ${env API_TOKEN}'",
      },
    );
  }
  return { scenario, text };
}

/** `pool-max`: what varies names the run folder and the scenario. */
export function nameWithoutFile({ env = [], setting = [] }: NoFileOptions): string {
  const varied = [...env, ...setting].filter((text) => text.includes(','));
  const names = varied.map((text) => text.split('=')[0] ?? '');
  const name = names
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name.slice(0, MOST_OF_A_NAME) || 'sweep';
}

const MOST_OF_A_NAME = 60;

function errorAtOptions(problems: readonly Problem[], options: NoFileOptions): PgsweepError {
  const lines = problems.map((problem) => `${optionOf(problem, options)}: ${withoutPlace(problem.message)}`);
  return new PgsweepError('usage', [...new Set(lines)].join('\n'), {
    hint: 'What is possible: pgsweep sweep --help',
  });
}

/** Where in a scenario a mistake is does not help somebody who wrote none. */
function withoutPlace(message: string): string {
  return message.replace(/^(title|target|dataset|sweep|control|load|stack)(\.[^\s:]+)?: /, '');
}

/** The option that said what stands at a place of the scenario. */
function optionOf({ path, key }: Problem, options: NoFileOptions): string {
  const [first, second = key, third] = path;
  if (first === 'title') return '--title';
  if (first === 'dataset') return '--sql';
  if (first === 'load' && (second === 'connections' || second === 'rate' || second === 'count')) return `--${second}`;
  if (first === 'load') return requestOption(path, options);
  if (first === 'target' && second === 'ready') return '--ready';
  if (first === 'target' && second !== 'env') return '--command';
  if (first === 'stack') return '--setting';
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
