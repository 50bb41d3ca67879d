import { isAbsolute, resolve } from 'node:path';
import { inJsonString, isJsonType, sentTypeOf } from '../base/content-type.ts';
import { messageOf } from '../base/errors.ts';
import { readTextUpTo } from '../base/files/read-text.ts';
import { rememberSecret } from '../base/secrets.ts';
import { shortened } from '../base/visible.ts';
import type { Path, Problem } from './problems.ts';

const REFERENCE = /(\$?)\$\{\s*(env|file)\s+([^}]*)\}/g;
/** Texts of a request that are sent. */
const REQUEST = new Set<Path[number]>(['path', 'headers', 'body']);
/** A certificate chain has some kilobytes. */
const MOST_BYTES = 64 * 1024;

/**
 * A scenario document with `${env NAME}` and `${file PATH}` filled in, PATH from the scenario's folder; all of them are
 * secrets. `${env NAME encoded}` is percent-encoded, for an address or a form. Between the quotes of a body that is a text
 * of JSON a value is escaped; elsewhere in it a value may be JSON itself. They may stand where a service or a request
 * gets them, and nowhere else: a shell's command line can be seen by everybody, and a name is in every table.
 */
export function withOutsideValues(
  document: unknown,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): { document: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const fill: Fill = (text, path, within) => {
    const isJson = isJsonBody(text, path, within);
    return text.replace(REFERENCE, (reference: string, dollar: string, kind: string, words: string, at: number) => {
      const isTemplate = path[0] === 'load';
      if (dollar !== '') return isTemplate ? reference : reference.slice(1);
      if (!isGiven(path)) {
        const why = isLevel(path)
          ? 'cannot be a level, which every table shows: expected variants, each with its own env'
          : `cannot be used here: expected it in env, url, path, headers, body, variables of graphql or login${path.includes('command') ? '; a command sees the variables of the bench' : ''}`;
        const message = `${path.join('.')}: \${${kind} ...} ${why}`;
        problems.push({ path, message });
        return reference;
      }
      try {
        const [, plainName] = /^(.*\S)\s+encoded$/.exec(words.trim()) ?? [];
        const name = plainName ?? words.trim();
        const plain = kind === 'env' ? variable(name, env) : fileText(name, folder);
        const encoded = plainName === undefined ? plain : encodeURIComponent(plain);
        const value = isJson && endsInString(text.slice(0, at)) ? inJsonString(encoded) : encoded;
        if (/[\r\n\0]/.test(value) && !path.includes('env') && !path.includes('body') && !isVariable(path))
          throw new Error('it has more than one line');
        // What it holds is no placeholder.
        const filledIn = isTemplate ? value.replaceAll('${', () => '$${') : value;
        for (const form of [plain, value, filledIn]) rememberSecret(form);
        return filledIn;
      } catch (error) {
        problems.push({
          path,
          message: `${path.join('.')}: \${${kind} ${shortened(words.trim(), 60)}}: ${messageOf(error)}`,
        });
        return reference;
      }
    });
  };
  return { document: filled(document, [], fill, null), problems };
}

/** Fills in a text of a document, which stands at that path in that object or list. */
type Fill = (text: string, path: Path, within: unknown) => string;

/** True for the body of a request that is a text and is sent as JSON. */
function isJsonBody(text: string, path: Path, within: unknown): boolean {
  if (path.indexOf('body') !== path.length - 1 || path.includes('env') || path.includes('headers')) return false;
  if (isVariable(path)) return false;
  const { headers } = (within ?? {}) as { readonly headers?: unknown };
  const own = typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {};
  return isJsonType(sentTypeOf(text, own));
}

/** True where a text of JSON that ends here ends between the quotes of a string. */
function endsInString(json: string): boolean {
  const quotes = json.replaceAll(/(?<!\$)\$\{[^}]*\}|\\./gs, '').match(/"/g) ?? [];
  return quotes.length % 2 === 1;
}

/** Values that a service is given or sent. */
function isGiven(path: Path): boolean {
  const [first, second, third, fourth, fifth] = path;
  const isSent = (at: number): boolean => REQUEST.has(path[at] ?? '') || (path[at] === 'graphql' && isVariable(path));
  if (first === 'target')
    return second === 'env' || second === 'url' || second === 'login' || (second === 'services' && fourth === 'env');
  if (third === 'live' && fourth === 'request') return isSent(4);
  if (first === 'variants') return third === 'env' || third === 'url' || (third === 'services' && fifth === 'env');
  if (first === 'load' && second === 'script')
    return isSent(path.findIndex((part, at) => at >= 2 && isKeyOfStep(part)));
  return first === 'load' && second === 'requests' && isSent(3);
}

/** True for what stands in `graphql.variables`. */
function isVariable(path: Path): boolean {
  return path[path.indexOf('variables') - 1] === 'graphql';
}

/** True for a level of a factor, and where the control names it. */
function isLevel([first, , third]: Path): boolean {
  return first === 'control' || ((first === 'sweep' || first === 'tune') && (third === 'levels' || third === 'range'));
}

/** Steps stand in lists, some in lists of other ways to continue. */
function isKeyOfStep(part: string | number): part is string {
  return typeof part === 'string' && part !== 'choose' && part !== 'steps';
}

function variable(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error('the variable is not set');
  return value;
}

function fileText(name: string, folder: string): string {
  const text = readTextUpTo(isAbsolute(name) ? name : resolve(folder, name), MOST_BYTES).replace(/\r?\n$/, '');
  if (text === '') throw new Error('the file is empty');
  return text;
}

function filled(value: unknown, path: Path, fill: Fill, within: unknown): unknown {
  if (typeof value === 'string') return value.includes('${') ? fill(value, path, within) : value;
  if (Array.isArray(value)) return value.map((one, index) => filled(one, [...path, index], fill, value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, [...path, key], fill, value)]));
}
