import { z } from 'zod';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { isObject, jsonOf } from '../../../base/json-path.ts';
import { isAb, readAb } from './ab.ts';
import { isAutocannon, readAutocannon } from './autocannon.ts';
import { isHyperfine, readHyperfine } from './hyperfine.ts';
import { isK6, readK6 } from './k6.ts';
import { isOha, readOha } from './oha.ts';
import { isPgbench, readPgbench } from './pgbench.ts';
import type { MeasuredMetric, ToolName, ToolOutput, ToolResult } from './tool-result.ts';
import { isWrk, readWrk } from './wrk.ts';

/** JSON is looked for behind the first lines with a brace, in a text of at most this many characters. */
const MOST_WITHIN = { starts: 50, characters: 1_000_000 };

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
  { tool: 'ab', isIts: isAb, read: readAb },
];

/**
 * Reads the output of whichever tool wrote it; lines of other programs may stand before and behind JSON, and a prefix before
 * lines of text. Null where it is text that no tool wrote. Throws PgsweepError `usage` for JSON that is broken or of no known
 * tool, and for output without numbers to compare.
 */
export function readTool(file: string, text: string): ToolOutput | null {
  const value = jsonOf(text) ?? jsonWithin(text);
  const ofJson = isObject(value) ? jsonReaders.find(({ isIts }) => isIts(value)) : undefined;
  if (isObject(value) && ofJson !== undefined) return checked(file, ofJson.tool, () => ofJson.read(value));
  const ofText = textReaders.find(({ isIts }) => isIts(text));
  if (ofText !== undefined) return checked(file, ofText.tool, () => ofText.read(text));
  // A list of JSON, and no text or link in brackets.
  if (!/^\s*(\{|\[\s*[[{"\d\]-])/.test(text)) return null;
  requireJson(file, text);
  throw new PgsweepError('usage', `${file}: the JSON is of none of ${jsonReaders.map(({ tool }) => tool).join(', ')}`, {
    hint: 'What can be read: autocannon --json, k6 run --summary-export, oha --output-format json, hyperfine --export-json.',
  });
}

/** JSON from a line that begins with a brace, or has a prefix before it, to the last brace; undefined where there is none. */
function jsonWithin(text: string): unknown {
  if (text.length > MOST_WITHIN.characters) return undefined;
  const end = text.lastIndexOf('}') + 1;
  const starts = [...text.matchAll(/^[^{\n]*(?=\{)/gm)].slice(0, MOST_WITHIN.starts);
  for (const { 0: before, index } of starts) {
    // Each line has the same prefix where one program has put it there.
    const lines = text
      .slice(index, end)
      .split('\n')
      .map((line) => (line.startsWith(before) ? line.slice(before.length) : line));
    // Behind a line of JSON others may have written more.
    const found = [lines.join('\n'), lines[0] ?? ''].map(jsonOf);
    const value = found.find((one) => isObject(one) && jsonReaders.some(({ isIts }) => isIts(one)));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Throws PgsweepError `usage` with the line where JSON is broken. */
function requireJson(file: string, text: string): void {
  try {
    JSON.parse(text);
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

/** A run that got no answer has no times, although tools print 0. */
function withoutEmptyTimes(result: ToolResult): ToolResult {
  if (result.samples !== 0) return result;
  const isTime = ({ name }: MeasuredMetric): boolean => name.startsWith('latency_');
  return { ...result, metrics: result.metrics.map((metric) => (isTime(metric) ? { ...metric, value: null } : metric)) };
}

function checked(file: string, tool: ToolName, read: () => ToolResult[]): ToolOutput {
  try {
    const results = read().map(withoutEmptyTimes);
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
