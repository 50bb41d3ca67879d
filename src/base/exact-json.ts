import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** Stands before the text of a number while JSON is read and written; nobody else can know it. */
const MARK = randomUUID();

/** A number of JSON or YAML whose text a double would change: 9007199254740993, 1.10. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
  /** For `exactJson`, which takes the mark away. */
  toJSON(): string {
    return `${MARK}${this.text}`;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const wholeNumber = new RegExp(`^${NUMBER.source}$`);
/** Texts are found first, since digits may stand in them. */
const textsAndNumbers = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${NUMBER.source}`, 'g');
/** Only such numbers can change. */
const mayChange = /\d[\d.]{15}|\d\.\d|\d[eE]|-0/;
const written = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** The number of a text as JSON has it: as a double where that is written the same, else as its text; null for other texts. */
export function exactNumber(text: string): number | NumberText | null {
  if (!wholeNumber.test(text)) return null;
  return String(Number(text)) === text ? Number(text) : new NumberText(text);
}

/** Value of a JSON text, with every number as it stands there; undefined if it is no JSON. */
export function exactJsonOf(text: string): unknown {
  try {
    if (!mayChange.test(text)) return JSON.parse(text);
    const marked = text.replace(textsAndNumbers, (token) =>
      token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
    );
    return JSON.parse(marked, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith(MARK) ? new NumberText(value.slice(MARK.length)) : value,
    );
  } catch {
    return undefined;
  }
}

/** Writes JSON, numbers as they were read. */
export function exactJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text?.includes(MARK) ? text.replace(written, '$1') : text;
}

/** True for the same JSON; numbers are the same by their value, such as 1.10 and 1.1, however many digits they have. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(mapped(a, byValue), mapped(b, byValue));
}

function byValue(value: unknown): unknown {
  if (typeof value !== 'number' && !(value instanceof NumberText)) return value;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(String(value)) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return new NumberText('0');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return new NumberText(`${sign}${significant}e${power}`);
}

const PLACEHOLDER = /^\$\{number ([^}]+)\}$/;

/** The value with `${number 9007199254740993}` for such numbers, as a scenario and its journal hold them. */
export function withNumberPlaceholders(value: unknown): unknown {
  return mapped(value, (one) => (one instanceof NumberText ? `\${number ${one.text}}` : one));
}

/** The value with numbers in place of `${number ...}`. */
export function withNumbers(value: unknown): unknown {
  return mapped(value, (one) => {
    const [, text] = (typeof one === 'string' && PLACEHOLDER.exec(one)) || [];
    return text === undefined ? one : (exactNumber(text) ?? one);
  });
}

function mapped(value: unknown, of: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, of));
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return of(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, of)]));
}
