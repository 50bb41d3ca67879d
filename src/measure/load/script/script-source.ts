import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { type CsvRows, readCsvRows } from '../../../base/files/csv-rows.ts';
import type { ScriptSpec } from '../../../journal/script-spec.ts';
import type { RequestSource } from '../request-source.ts';
import { compileScript, type ScriptContext } from './script.ts';
import type { Script } from './session.ts';

/** Requests that belong to users. */
export interface ScriptSource extends RequestSource {
  readonly script: Script;
}

/** Every arm has the same users, and a stream each round: the file is read once. */
const read = new Map<string, CsvRows['rows']>();

/** A source for a script. Throws PgsweepError `load` where its data cannot be read. */
export function scriptSource(spec: ScriptSpec, context: Omit<ScriptContext, 'rows'>): ScriptSource {
  const rows = spec.data === undefined ? null : rowsOf(spec.data.file);
  const script = compileScript(spec, { ...context, rows });
  const { names, expected, checks } = script;
  return {
    names,
    expected,
    ...(checks !== undefined && { checks }),
    script,
    next() {
      throw new Error('the requests of a script belong to its users');
    },
  };
}

function rowsOf(file: string): CsvRows['rows'] {
  const known = read.get(file);
  if (known !== undefined) return known;
  try {
    const { rows } = readCsvRows(file);
    read.set(file, rows);
    return rows;
  } catch (cause) {
    throw new PgsweepError('load', `the data of the users, ${file}: ${messageOf(cause)}`, { cause });
  }
}
