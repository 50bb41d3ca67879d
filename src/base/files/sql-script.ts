/** A stretch of a file, by its first and last (exclusive) character. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A part of an SQL file, in its order. */
export type ScriptPart =
  /**
   * One statement, with the comments before it; `head` is where it begins after these. psql sends it from `sent` on, with the
   * first comment between slash and star that stands before it and what follows.
   */
  | (Stretch & { readonly kind: 'statement'; readonly head: number; readonly sent: number })
  /** `COPY ... FROM stdin`, and its rows. */
  | (Stretch & { readonly kind: 'copy'; readonly head: number; readonly sent: number; readonly rows: Stretch })
  /** A command of psql, such as `\restrict`: up to the next one of its line, or with the `\\` after which SQL follows. */
  | (Stretch & { readonly kind: 'command' });

/** Mistake in an SQL file, with its place, and with advice where there is some. */
export class ScriptError extends Error {
  readonly offset: number;
  readonly hint: string | null;
  constructor(message: string, offset: number, hint: string | null = null) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** All parts of an SQL file, as `eachPart`. */
export function scriptParts(text: string): ScriptPart[] {
  return [...eachPart(text)];
}

/**
 * Splits what psql reads (and pg_dump writes) into its parts, beginning at `from`. A statement ends at a semicolon outside
 * of quotes, comments, parentheses and the BEGIN ATOMIC ... END of a function, as in psql's own scanner (psqlscan.l), which
 * goes by the first words of the statement for the latter. As there, every character beyond ASCII may stand in a name, so
 * the bytes of a file can be read as latin1, whatever their encoding. Throws ScriptError for what is never closed.
 */
export function* eachPart(text: string, from = 0): Generator<ScriptPart, void> {
  let statement = newStatement(from);
  let at = from;
  const begin = (): void => {
    if (statement.head === null) statement.head = at;
    statement.sent ??= at;
  };
  while (at < text.length) {
    const token = nextToken(text, at);
    const { kind, end } = token;
    if (kind === 'command') {
      if (statement.head !== null)
        throw new ScriptError(`${text.slice(at, end).trim()} is a command of psql in a statement`, at);
      yield { kind, start: at, end };
      statement = newStatement(end);
    } else if (kind === 'semicolon' && statement.parentheses === 0 && statement.blocks === 0) {
      const part = endOfStatement(text, statement, end);
      at = part?.kind === 'copy' ? part.rows.end : end;
      if (part?.kind === 'copy') at = afterRows(text, at);
      statement = newStatement(at);
      if (part !== null) yield part;
      continue;
    } else if (kind !== 'blank') {
      begin();
      if (kind === 'word') takeWord(statement, text.slice(at, end));
      if (kind === 'open') statement.parentheses++;
      if (kind === 'close') statement.parentheses = Math.max(0, statement.parentheses - 1);
    } else if (text.startsWith('/*', at)) statement.sent ??= at;
    at = end;
  }
  const last = endOfStatement(text, statement, text.length);
  if (last !== null) yield last;
}

interface Statement {
  readonly start: number;
  head: number | null;
  sent: number | null;
  parentheses: number;
  /** BEGIN and CASE that are not ended, in the body of a function. */
  blocks: number;
  /** The first letters of its first words, as far as they make a function. */
  words: string;
}

function newStatement(start: number): Statement {
  return { start, head: null, sent: null, parentheses: 0, blocks: 0, words: '' };
}

const wordsOfFunctions: readonly string[] = ['create', 'or', 'replace', 'function', 'procedure'];

function takeWord(statement: Statement, text: string): void {
  const word = text.toLowerCase();
  if (statement.words.length < 4) statement.words += wordsOfFunctions.includes(word) ? word[0] : '-';
  if (!/^c(or)?[fp]/.test(statement.words) || statement.parentheses > 0) return;
  if (word === 'begin' || (word === 'case' && statement.blocks > 0)) statement.blocks++;
  if (word === 'end' && statement.blocks > 0) statement.blocks--;
}

function endOfStatement(text: string, { start, head, sent }: Statement, end: number): ScriptPart | null {
  if (head === null || sent === null) return null;
  if (!/^copy\b[\s\S]*\bfrom\s+stdin\b/i.test(text.slice(head, end)))
    return { kind: 'statement', start, head, sent, end };
  const first = text.indexOf('\n', end) + 1 || text.length;
  return { kind: 'copy', start, head, sent, end, rows: { start: first, end: endOfRows(text, first) } };
}

/** Where the line `\.` begins; the end of the text where there is none. */
function endOfRows(text: string, first: number): number {
  for (let at = first; at !== 0; at = text.indexOf('\n', at) + 1) {
    if (text.startsWith('\\.', at) && /^\r?(\n|$)/.test(text.slice(at + 2, at + 4))) return at;
  }
  return text.length;
}

function afterRows(text: string, mark: number): number {
  const newline = text.indexOf('\n', mark);
  return newline < 0 ? text.length : newline + 1;
}

interface Token {
  readonly kind: 'blank' | 'word' | 'semicolon' | 'open' | 'close' | 'command' | 'other';
  readonly end: number;
}

const single: Readonly<Record<string, Token['kind']>> = { ';': 'semicolon', '(': 'open', ')': 'close' };

const blanks = /[ \t\n\v\f\r]+/y;
const line = /[^\n]*/y;
/** As psqlscanslash.l: a quote that is not closed takes the rest of the line. */
const command = /\\[^\s\\]*(?:'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`[^`\n]*`|['"`][^\n]*|[^\\\n'"`]+)*(?:\\\\)?/y;
const word = /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/y;
const dollar = /\$([A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y;
const number = /[0-9.]+/y;

/** The token at a place, as psql reads it. Throws ScriptError for one that is never closed. */
export function nextToken(text: string, at: number): Token {
  const character = text[at] ?? '';
  const known = single[character];
  if (known !== undefined) return { kind: known, end: at + 1 };
  if (character === "'") return { kind: 'other', end: endOfQuoted(text, at, "'") };
  if (character === '"') return { kind: 'other', end: endOfQuoted(text, at, '"') };
  if (character === '\\') return { kind: 'command', end: matchAt(command, text, at) ?? at + 1 };
  if (text.startsWith('--', at)) return { kind: 'blank', end: matchAt(line, text, at) ?? at + 2 };
  if (text.startsWith('/*', at)) return { kind: 'blank', end: endOfComment(text, at) };
  if (/[eE]/.test(character) && text[at + 1] === "'") return { kind: 'other', end: endOfEscaped(text, at + 1) };
  const tag = character === '$' ? matchAt(dollar, text, at) : null;
  if (tag !== null) return { kind: 'other', end: endOfDollar(text, at, tag) };
  const end = matchAt(blanks, text, at);
  if (end !== null) return { kind: 'blank', end };
  const endOfWord = matchAt(word, text, at);
  if (endOfWord !== null) return { kind: 'word', end: endOfWord };
  return { kind: 'other', end: matchAt(number, text, at) ?? at + 1 };
}

function matchAt(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** A quote that is doubled ends one quoted text and begins the next: they need not be distinguished from one. */
function endOfQuoted(text: string, at: number, quote: string): number {
  const end = text.indexOf(quote, at + 1);
  if (end < 0) throw new ScriptError(`this ${quote} is never closed`, at);
  return end + 1;
}

/** E'...': a backslash takes the next character with it. */
function endOfEscaped(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === "'") return i + 1;
  }
  throw new ScriptError("this ' is never closed", at);
}

function endOfDollar(text: string, at: number, endOfTag: number): number {
  const tag = text.slice(at, endOfTag);
  const end = text.indexOf(tag, endOfTag);
  if (end < 0) throw new ScriptError(`this ${tag} is never closed`, at);
  return end + tag.length;
}

/** Comments nest in SQL. */
function endOfComment(text: string, at: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = at;
  let depth = 0;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  throw new ScriptError('this /* is never closed', at);
}
