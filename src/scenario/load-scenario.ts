import { readFileSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { type Document, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
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
    const messages = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return `${source.file}:${line}:${col}: ${error.message}`;
    });
    throw new PgsweepError('scenario', messages.join('\n'), { hint: 'The file is not valid YAML.' });
  }
  keepVersionsAsWritten(document);
  const parsed = scenarioSchema.safeParse(document.toJS() ?? {}, { reportInput: true });
  if (!parsed.success) throw scenarioError(source, problemsOf(parsed.error));
  const { scenario, problems } = resolveScenario(parsed.data, {
    folder: dirname(resolve(file)),
    file: source.file,
    name: basename(file, extname(file)),
  });
  if (problems.length > 0) throw scenarioError(source, problems);
  return scenario;
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
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new PgsweepError('scenario', `${file} cannot be read`, {
      hint: 'Name a scenario file, such as scenarios/pool-size.yaml, or write one with: pgsweep init',
      cause,
    });
  }
}
