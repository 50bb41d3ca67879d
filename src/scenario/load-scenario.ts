import { readFileSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { type Document, isPair, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { PgsweepError } from '../base/errors.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { problemsOf, type Source, scenarioError } from './problems.ts';
import { resolveScenario } from './resolve.ts';
import { scenarioSchema } from './schema.ts';

/**
 * Reads a scenario file and fills in every default; file names come out absolute, from the scenario's folder.
 * Throws PgsweepError `scenario` with one `file:line:column` line for each mistake.
 */
export function loadScenario(file: string): ResolvedScenario {
  return parseScenario(readScenario(file), file);
}

/** The same for a text that is at hand; `file` says where it stands. */
export function parseScenario(text: string, file: string): ResolvedScenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const source: Source = { file: relative(process.cwd(), resolve(file)) || file, document, lines };
  if (document.errors.length > 0) {
    const messages = syntaxMistakes(document.errors, text, lines).map((message) => `${source.file}:${message}`);
    throw new PgsweepError('scenario', messages.join('\n'), { hint: 'The file is not valid YAML.' });
  }
  keepVersionsAsWritten(document);
  const written: unknown = document.toJS() ?? {};
  const parsed = scenarioSchema.safeParse(written, { reportInput: true });
  if (!parsed.success) throw scenarioError(source, problemsOf(parsed.error, written));
  const { scenario, problems } = resolveScenario(parsed.data, {
    folder: dirname(resolve(file)),
    file: source.file,
    name: basename(file, extname(file)),
  });
  if (problems.length > 0) throw scenarioError(source, problems);
  return scenario;
}

/** `3:1: what is wrong` for each. A tab in the indentation is the last: what follows may be right but for the tab. */
function syntaxMistakes(errors: readonly YAMLError[], text: string, lines: LineCounter): string[] {
  const found = errors.map(({ pos, message }) => ({ ...lines.linePos(pos[0]), message }));
  const indentations = text.split('\n').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const tabIn = (line: number): number => (indentations[line - 1] ?? '').indexOf('\t') + 1;
  const first = found.findIndex(({ line }) => tabIn(line) + tabIn(line - 1) > 0);
  const told = found.slice(0, first < 0 ? undefined : first);
  const messages = told.map(({ line, col, message }) => `${line}:${col}: ${message}`);
  const blamed = found[first]?.line;
  if (blamed === undefined) return messages;
  const line = tabIn(blamed) > 0 ? blamed : blamed - 1;
  return [...messages, `${line}:${tabIn(line)}: a tab cannot indent YAML: expected spaces`];
}

/** `version: 17.10` is no number: that would be 17.1, which is another Postgres. */
function keepVersionsAsWritten(document: Document): void {
  visit(document, {
    Pair(_, { key, value }, path) {
      const [, , top] = path;
      const parent = path.at(-2);
      const isVersion = isScalar(key) && key.value === 'version' && isScalar(value) && value.source !== undefined;
      if (!isVersion || !isPair(top) || !isPair(parent)) return;
      if (!/^(stack|variants)$/.test(String(top.key)) || !/^(postgres|opensearch)$/.test(String(parent.key))) return;
      if (typeof value.value === 'number') value.value = value.source;
    },
  });
}

function readScenario(file: string): string {
  const bytes = bytesOf(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new PgsweepError('scenario', `${file} is not text`, { hint: 'A scenario is YAML, in UTF-8.' });
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new PgsweepError('scenario', `${file} cannot be read`, {
      hint: 'Name a scenario file, such as scenarios/pool-size.yaml, or write one with: pgsweep init',
      cause,
    });
  }
}
