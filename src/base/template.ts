import { exactNumber } from './exact-json.ts';
import { nearest } from './nearest.ts';

/** Placeholders that may stand between `${` and `}` in a request, with their values. */
const placeholderHelp = {
  token: 'what target.login has fetched for the arm',
  unique: 'a whole number that no other request of the run has',
  uuid: 'a random UUID',
  integer: 'a random whole number: ${integer 1 1000}',
  number: 'a number with all of its digits: ${number 9007199254740993}',
  pick: 'one of the words: ${pick red green blue}',
  captured: 'what an earlier step of a script has captured: ${captured id}',
  data: "a column of the user's row of load.data: ${data email}",
  loaded: 'an id that load.bulk has loaded, at random; of one kind: ${loaded items}',
} as const;

/** Where `${unique}` starts: above the ids of every template, below the largest 32-bit integer. */
export const FIRST_UNIQUE = 1_000_000_000;

export type PlaceholderName = keyof typeof placeholderHelp;

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'token' }
  | { readonly kind: 'unique' }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'integer'; readonly low: number; readonly high: number }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'pick'; readonly words: readonly string[] }
  | { readonly kind: 'captured'; readonly name: string }
  | { readonly kind: 'data'; readonly column: string }
  | { readonly kind: 'loaded'; readonly resource: string | null };

export class TemplateError extends Error {}

const names = Object.keys(placeholderHelp) as PlaceholderName[];

/** Splits `/items/${unique}?q=${pick a b}` into parts. `$${` is a literal `${`. Throws TemplateError with what was expected. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  let rest = template;
  while (rest !== '') {
    const match = /\$\$\{|\$\{([^}]*)\}?/.exec(rest);
    if (match === null) break;
    text += rest.slice(0, match.index);
    rest = rest.slice(match.index + match[0].length);
    if (match[0] === '$${') {
      text += '${';
      continue;
    }
    if (!match[0].endsWith('}')) throw new TemplateError(`"${match[0]}" has no closing }`);
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
    parts.push(parsePlaceholder(match[1] ?? ''));
  }
  if (text + rest !== '') parts.push({ kind: 'text', text: text + rest });
  return parts;
}

function parsePlaceholder(inner: string): TemplatePart {
  const [name = '', ...words] = inner.trim().split(/\s+/);
  if (name === 'token' || name === 'unique' || name === 'uuid') {
    if (words.length > 0) throw new TemplateError(`\${${name}} takes no words, not "${words.join(' ')}"`);
    return { kind: name };
  }
  if (name === 'pick') {
    if (words.length === 0) throw new TemplateError('${pick} needs words: ${pick red green blue}');
    return { kind: 'pick', words };
  }
  if (name === 'number') {
    const [text = ''] = words;
    if (words.length !== 1 || exactNumber(text) === null)
      throw new TemplateError(`expected \${number DIGITS}, such as \${number 9007199254740993}, not \${${inner}}`);
    return { kind: 'number', text };
  }
  if (name === 'captured') {
    const [captured] = words;
    if (captured === undefined || words.length > 1)
      throw new TemplateError(`expected \${captured NAME}, such as \${captured id}, not \${${inner}}`);
    return { kind: 'captured', name: captured };
  }
  if (name === 'data') {
    if (words.length === 0) throw new TemplateError('${data} needs the name of a column: ${data email}');
    return { kind: 'data', column: words.join(' ') };
  }
  if (name === 'loaded') return { kind: 'loaded', resource: words.join(' ') || null };
  if (name === 'integer') {
    const [low, high] = words.map(Number);
    if (words.length !== 2 || !Number.isSafeInteger(low) || !Number.isSafeInteger(high) || Number(low) > Number(high)) {
      throw new TemplateError(`expected \${integer LOW HIGH}, such as \${integer 1 1000}, not \${${inner}}`);
    }
    return { kind: 'integer', low: Number(low), high: Number(high) };
  }
  const near = nearest(name, names);
  throw new TemplateError(
    `unknown placeholder \${${inner}}: expected ${names.join(', ')}${near === null ? '' : ` (did you mean \${${near}}?)`}`,
  );
}
