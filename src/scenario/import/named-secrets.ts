/** Names of secrets in texts, and `sig` of links into Azure. */
const NAME =
  '(?:(?:token|secret|passw(?:or)?d|pwd|api[-_]?key|access[-_]?key|session[-_]?id)[\\w-]*|(?<![a-z])sig(?![\\w-]))';
/** `\"` is a quote of JSON within a text, `%22` one in an address. */
const QUOTE = '(?:\\\\*["\']|%2[27])';
/** The beginning of the value of a secret: `password=`, `"token": "`, `token%3D`, `<secret>`. */
const OPENED = [
  `(?<name>${NAME})${QUOTE}?\\s*(?<sign>=>|[:=]|%3[AD])\\s*(?<quote>${QUOTE}?)\\s*`,
  `(?<=<[\\w:.-]{0,60})${NAME}(?:\\s[^<>]{0,300})?(?<!/)>\\s*(?<cdata><!\\[CDATA\\[)?`,
].join('|');
/** JSON and GraphQL: a text in them stands in quotes, and what has none is a number, a type or a variable. */
const DATA =
  /^\s*(?:\[\s*[[{"]|\{\s*["}]|\{\s*\w+\s*(?:\([^)]*\)\s*)?\{|(?:query|mutation|subscription|fragment)\b[^{]*\{)/;
/** A number under another key of a secret says how many there are, or which. */
export const SECRET_NUMBER = /pin$|otp|pass|pwd|secret|code/i;
/** A shorter value is a number or a word. */
const LEAST_CHARACTERS = 4;

/** Replaces the secrets in a text that stand behind the name of one, each as a whole. */
export function withoutNamedSecrets(text: string, inPlaceOf: (secret: string) => string): string {
  const isData = DATA.test(text);
  const names = new RegExp(OPENED, 'gi');
  let [out, at] = ['', 0];
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    const start = names.lastIndex;
    const secret = text.slice(start, start + lengthOf(text.slice(start), found.groups ?? {}, isData));
    if (secret.length < LEAST_CHARACTERS) continue;
    out += text.slice(at, start) + inPlaceOf(secret);
    at = start + secret.length;
    names.lastIndex = at;
  }
  return out + text.slice(at);
}

/** Length of the value at the beginning of a text, by what opened it. */
function lengthOf(
  text: string,
  { name, sign, quote, cdata }: Readonly<Record<string, string | undefined>>,
  isData: boolean,
): number {
  if (name === undefined || sign === undefined) return lengthUpTo(text, cdata === undefined ? /</ : /\]\]>/);
  if (quote?.startsWith('%')) return lengthUpTo(text, /(?<!%5C)%2[27]|&/i);
  if (quote) return lengthOfQuoted(text, quote);
  if (sign.startsWith('%')) return lengthUpTo(text, /[\s"'<&]|%2[0267]|%3C/i);
  if (!isData || sign !== ':') return lengthUpTo(text, /,?(?<!\\)\\*["']|[\s<&]/);
  return SECRET_NUMBER.test(name) ? (/^-?\d[\d.e+-]*/i.exec(text)?.[0].length ?? 0) : 0;
}

function lengthUpTo(text: string, end: RegExp): number {
  const length = text.search(end);
  return length < 0 ? text.length : length;
}

/** Quotes within the value have more backslashes than the one that opened it. */
function lengthOfQuoted(text: string, opened: string): number {
  const backslashes = opened.length - 1;
  for (const { index, 0: found } of text.matchAll(/(?<!\\)\\*["']/g)) {
    const more = found.length - opened.length;
    // Those before the end are escaped backslashes of the value.
    const isEnd = more < 0 || more % (2 * backslashes + 2) === 0;
    if (isEnd && found.at(-1) === opened.at(-1)) return index + Math.max(0, more);
  }
  return text.length;
}
