/** Invisible characters and those that move others: controls, ANSI escapes, bidi overrides, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Without the end of a line and the tab, which a text of several lines has. */
const UNSEEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text on one line, where whatever is not seen stands as `\u001b`: inside JSON the same value, anywhere else harmless. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** Makes a text of several lines visible. */
export function visibleLines(text: string): string {
  return text.replace(UNSEEN_IN_LINES, escaped);
}

/** Makes all texts in a value visible, each on one line: ends of lines and tabs become spaces. */
export function visibleTexts<T>(value: T): T {
  const within = (part: unknown): unknown => {
    if (typeof part === 'string') return visible(part.replace(/[\t\n\r]+/g, ' '));
    if (Array.isArray(part)) return part.map(within);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, within(one)]));
  };
  return within(value) as T;
}

/** At most `most` characters of a text, on one line; what is cut off stands as `…`. */
export function shortened(text: string, most: number): string {
  // First what can be shown of it at all: a text of megabytes is not searched.
  const seen = visible(text.slice(0, most));
  return text.length <= most && seen.length <= most ? seen : `${seen.slice(0, most - 1)}…`;
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Shortens a text of a service, which may hold anything, to one line. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}...`;
}
