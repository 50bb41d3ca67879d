import { nextToken, ScriptError } from './sql-script.ts';

/**
 * Single statements of what is sent to Postgres, for patterns: with one space where blanks and comments are, with literals
 * left empty unless they are one word, and with quoted names in their quotes, `_` for all in them that is not of a word.
 * What is never closed ends the text: Postgres refuses it.
 */
export function bareStatements(sql: string): string[] {
  const statements = [''];
  const add = (text: string): void => {
    statements.push(`${statements.pop()}${text}`);
  };
  let parentheses = 0;
  for (const { kind, text } of tokensOf(sql)) {
    if (kind === 'open') parentheses++;
    if (kind === 'close') parentheses--;
    if (kind === 'semicolon' && parentheses <= 0) statements.push('');
    else add(kind === 'blank' ? ' ' : kind === 'other' ? bare(text) : text);
  }
  return statements.map((statement) => statement.replace(/ +/g, ' ').trim()).filter((statement) => statement !== '');
}

interface Token {
  readonly kind: ReturnType<typeof nextToken>['kind'];
  readonly text: string;
}

function* tokensOf(sql: string): Generator<Token, void> {
  try {
    for (let at = 0; at < sql.length; ) {
      const { kind, end } = nextToken(sql, at);
      yield { kind, text: sql.slice(at, end) };
      at = end;
    }
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
  }
}

function bare(text: string): string {
  if (text.startsWith('"')) return `"${text.slice(1, -1).replace(/\W/g, '_')}"`;
  const isLiteral = /^(E?'|\$.*\$)/is.test(text);
  return isLiteral && !/^'\w+'$/.test(text) ? "''" : text;
}
