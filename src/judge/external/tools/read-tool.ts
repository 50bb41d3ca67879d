import { z } from 'zod';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { isAutocannon, readAutocannon } from './autocannon.ts';
import { isHyperfine, readHyperfine } from './hyperfine.ts';
import { isK6, readK6 } from './k6.ts';
import { isOha, readOha } from './oha.ts';
import { isPgbench, readPgbench } from './pgbench.ts';
import type { ToolName, ToolOutput, ToolResult } from './tool-result.ts';
import { isWrk, readWrk } from './wrk.ts';

interface Reader<T> {
  readonly tool: ToolName;
  isIts(output: T): boolean;
  read(output: T): ToolResult[];
}

const jsonReaders: readonly Reader<object>[] = [
  { tool: 'autocannon', isIts: isAutocannon, read: readAutocannon },
  { tool: 'oha', isIts: isOha, read: readOha },
  { tool: 'hyperfine', isIts: isHyperfine, read: readHyperfine },
  { tool: 'k6', isIts: isK6, read: readK6 },
];

const textReaders: readonly Reader<string>[] = [
  { tool: 'pgbench', isIts: isPgbench, read: readPgbench },
  { tool: 'wrk', isIts: isWrk, read: readWrk },
];

/**
 * Reads the output of whichever tool wrote it. Null where it is text that no tool wrote. Throws PgsweepError `usage`
 * for JSON that is broken or of no known tool, and for output without numbers to compare.
 */
export function readTool(file: string, text: string): ToolOutput | null {
  if (/^\s*[[{]/.test(text)) {
    const value = jsonIn(file, text);
    const reader = jsonReaders.find(({ isIts }) => isIts(value));
    if (reader !== undefined) return checked(file, reader.tool, () => reader.read(value));
    throw new PgsweepError(
      'usage',
      `${file}: the JSON is of none of ${jsonReaders.map(({ tool }) => tool).join(', ')}`,
      {
        hint: 'What can be read: autocannon --json, k6 run --summary-export, oha --output-format json, hyperfine --export-json.',
      },
    );
  }
  const reader = textReaders.find(({ isIts }) => isIts(text));
  return reader === undefined ? null : checked(file, reader.tool, () => reader.read(text));
}

function jsonIn(file: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    const why = messageOf(error).replace(/\s+/g, ' ');
    // Not every message of the parser has a place.
    const at = why.includes('end of JSON') ? text.trimEnd().length : /position (\d+)/.exec(why)?.[1];
    const line = at === undefined ? '' : `:${text.slice(0, Number(at)).split('\n').length}`;
    throw new PgsweepError('usage', `${file}${line}: the JSON is broken: ${why}`, {
      hint: 'A run that was ended early leaves half a file: leave it out, or measure again.',
      cause: error,
    });
  }
}

function checked(file: string, tool: ToolName, read: () => ToolResult[]): ToolOutput {
  try {
    const results = read();
    if (results.every(({ metrics }) => metrics.length === 0)) {
      throw new PgsweepError('usage', `${file}: the output of ${tool} has nothing that can be compared`);
    }
    return { tool, results };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
    throw new PgsweepError('usage', `${file}: not as ${tool} writes it: ${where}`, { cause: error });
  }
}
