import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseExpressionAt } from 'acorn';
import { z } from 'zod';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import type { BulkRequest } from '../workload-module.ts';

type FileSpec = Extract<BulkSpec['dataset'], { readonly kind: 'file' }>;

/** A line that is a whole request, as `BulkRequest`. */
const line = z.strictObject({
  method: z.string().optional(),
  path: z.string().startsWith('/', 'expected a path that begins with /'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  name: z.string().optional(),
  resource: z.string().optional(),
  wave: z.number().optional(),
  ids: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
});

/**
 * The requests of a file of JSON lines, read as they are sent; empty lines are none. With a path each line is the body of
 * a POST to it, sent byte for byte. Throws PgsweepError `dataset` with file, line and column of what is no JSON or no request.
 */
export async function* requestsOfFile({ file, path }: FileSpec): AsyncGenerator<BulkRequest> {
  let number = 0;
  const content = createReadStream(file);
  let failed: unknown = null;
  // Its lines end where the file cannot be read; only the file says why.
  content.on('error', (cause) => {
    failed = cause;
  });
  for await (const read of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    // A byte order mark is no part of the first line.
    const text = number === 1 ? read.replace(/^\uFEFF/, '') : read;
    if (text.trim() === '') continue;
    const value = parsed(text, `${file}:${number}`);
    const identity = { line: number };
    if (path !== undefined) {
      yield { path, body: text, headers: JSON_HEADERS, identity };
      continue;
    }
    const found = line.safeParse(value);
    if (!found.success) throw noRequest(`${file}:${number}`, found.error);
    yield { ...(found.data as BulkRequest), identity };
  }
  if (failed !== null)
    throw new PgsweepError('dataset', `${file} cannot be read: ${messageOf(failed)}`, { cause: failed });
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PgsweepError(
      'dataset',
      `${place}:${columnOf(text, messageOf(cause))}: expected JSON: ${messageOf(cause)}`,
      {
        hint: 'load.bulk.file has one JSON value a line, with no line breaks in it.',
        cause,
      },
    );
  }
}

/** The column of a mistake, from 1. Node tells the position of some mistakes only; acorn of those that are none in JavaScript either. */
function columnOf(text: string, message: string): number {
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position) + 1;
  try {
    parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
    return 1;
  } catch (error) {
    return error instanceof SyntaxError && 'pos' in error ? Number(error.pos) + 1 : 1;
  }
}

function noRequest(place: string, { issues: [issue] }: z.ZodError): PgsweepError {
  const where = issue?.path.join('.') || 'the line';
  return new PgsweepError('dataset', `${place}:1: ${where}: ${issue?.message}`, {
    hint: 'A line is { path, body }, with method, headers, name, wave, ids and after where needed. If the lines are bodies, set load.bulk.path.',
  });
}
