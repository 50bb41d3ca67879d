/** Placeholders for values that differ from request to request. */
import { exactJson, NumberText } from '../../base/exact-json.ts';
import { groupBy } from '../../base/group-by.ts';
import { EMAIL, MADE_UP } from './e-mail.ts';

/** More words than this say nothing new, and have to be read by somebody. */
const MOST_WORDS = 50;
const MOST_OF_A_WORD = 100;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The key of what a request creates, and not of what it refers to. */
const OWN_ID = /^_?(id|uuid|guid)$/i;

/** True if a part of a path is one of many: a number, a UUID, a long hexadecimal number or a ULID. */
export function isIdentifier(part: string): boolean {
  return (
    /^\d{1,18}$|^(?=.*\d)[0-9a-f]{12,}$/i.test(part) || UUID.test(part) || /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(part)
  );
}

/** The template for texts of a path, the most frequent first: one of these words. */
export function oneOfWords(texts: readonly string[]): string {
  const [first = ''] = texts;
  const words = texts.filter(isWord).slice(0, MOST_WORDS);
  return texts.length === 1 || words.length < 2 ? first : `\${pick ${words.join(' ')}}`;
}

/** How many of this many different words stand in such a template. */
export function wordsKept(different: number): number {
  return Math.min(different, MOST_WORDS);
}

/** The different texts, the most frequent first. */
export function byFrequency(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}

/** It can stand among the words of `${pick ...}`. */
function isWord(text: string): boolean {
  return text !== '' && text.length <= MOST_OF_A_WORD && !/[\s{}]/.test(text);
}

/** The shape of a JSON value: requests whose bodies differ in it are different requests. */
export function shapeOf(value: unknown, key = ''): string {
  if (value instanceof NumberText) return 'number';
  // Lists of one kind of item are alike, however long they are.
  if (Array.isArray(value)) return `[${[...new Set(value.map((item) => shapeOf(item)))].sort().join()}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${shapeOf(one, name)}`).join()}}`;
  }
  // GraphQL and JSON-RPC have one path for all that they do, and JSON Patch one kind of item.
  if (/^(operationName|query|method|op)$/.test(key) && typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : typeof value;
}

/** One JSON value for those of several requests of the same shape, with placeholders for what differs in them. */
export function mergedValue(values: readonly unknown[], creates: boolean, key = '', depth = 0): unknown {
  const [first] = values;
  if (Array.isArray(first)) {
    const lists = values.filter((one): one is unknown[] => Array.isArray(one));
    return mergedList(lists, (items) => mergedValue(items, creates, key, depth + 1));
  }
  if (typeof first === 'object' && first !== null && !(first instanceof NumberText)) {
    const rows = values.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
    return Object.fromEntries(
      Object.keys(first).map((name) => {
        const column = rows.filter((row) => Object.hasOwn(row, name)).map((row) => row[name]);
        return [name, mergedValue(column, creates && depth === 0, name, depth + 1)];
      }),
    );
  }
  const isOwnId = creates && depth === 1 && OWN_ID.test(key);
  if (typeof first === 'number' || first instanceof NumberText)
    return mergedNumber(
      values.filter((one) => typeof one === 'number' || one instanceof NumberText),
      key,
      isOwnId,
    );
  if (typeof first === 'string') {
    return mergedText(
      values.filter((one) => typeof one === 'string'),
      { key, isOwnId, creates },
    );
  }
  return first;
}

/** Place by place of the lists that are most often alike: the items of one list may be of unlike kinds, or refer to each other. */
function mergedList(
  lists: readonly (readonly unknown[])[],
  merged: (items: readonly unknown[]) => unknown,
): readonly unknown[] {
  const groups = groupBy(lists, (list) => list.map((item) => shapeOf(item)).join());
  const alike = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  const [most = ''] = byFrequency(alike.map((list) => exactJson(list)));
  const list = alike.find((one) => exactJson(one) === most) ?? [];
  const isNested = (item: unknown): boolean =>
    typeof item === 'object' && item !== null && !(item instanceof NumberText);
  return list.map((item, at) => (isNested(item) ? merged(alike.map((one) => one[at])) : item));
}

function mergedNumber(all: readonly (number | NumberText)[], key: string, isOwnId: boolean): unknown {
  if (isOwnId && all.every((one) => /^-?\d+$/.test(String(one)))) return '${unique}';
  const [first = 0] = all;
  const numbers = all.filter((one) => typeof one === 'number');
  // Between numbers of that many digits nobody draws one.
  if (numbers.length < all.length) return first;
  const different = [...new Set(numbers)];
  const areWhole = different.every(Number.isSafeInteger);
  if (different.length === 1 || !areWhole) return first;
  const low = different.reduce((a, b) => Math.min(a, b));
  const high = different.reduce((a, b) => Math.max(a, b));
  // What a request refers to has to be there: most numbers between ids that lie far apart do not exist.
  const isReference = /id$/i.test(key);
  return isReference && high - low > 2 * different.length ? first : `\${integer ${low} ${high}}`;
}

interface TextKind {
  readonly key: string;
  readonly isOwnId: boolean;
  readonly creates: boolean;
}

/** With fewer of them that they all differ may be chance. */
const FEW = 3;
/** Dates, times, JSON and texts without a letter have a form that a number at their end breaks. */
const FORMED = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\b\d\d:\d\d\b|^\s*[[{]|^\P{L}*$/u;

/** One template for the texts of several requests. An address of somebody is never written down. */
export function mergedText(texts: readonly string[], { key, isOwnId, creates }: TextKind): string {
  const [most = ''] = byFrequency(texts);
  // A field that somebody left empty does not say what the others hold.
  const filled = texts.filter((text) => text !== '');
  const different = byFrequency(filled);
  const [first] = different;
  if (first === undefined) return '';
  if (different.every((text) => EMAIL.test(text))) return MADE_UP;
  if (isOwnId && different.every((text) => UUID.test(text))) return '${uuid}';
  if (different.length === 1 || different.some((text) => text.includes('${'))) return most;
  const isFormed = different.some((text) => UUID.test(text) || FORMED.test(text));
  if (!different.every(isWord)) {
    // The states of something are few words, which many requests have.
    const areStates = different.length < FEW || 2 * different.length <= filled.length;
    return isFormed || areStates ? most : `${first} \${integer 1 1000}`;
  }
  const looksUnique = creates && different.length === filled.length && filled.length >= FEW;
  const isReference = /id$/i.test(key) || isFormed;
  return looksUnique && !isReference ? `${first}-\${unique}` : oneOfWords(different);
}
