import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import { type Document, isPair, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { PgsweepError } from '../base/errors.ts';
import { readBytesUpTo, TextTooLong } from '../base/files/read-text.ts';
import { isObject } from '../base/json-path.ts';
import { isModest } from '../base/modest.ts';
import { maskText, rememberSecrets } from '../journal/run/secret-leaves.ts';
import { type ResolvedScenario, resolvedScenario } from '../journal/scenario-record.ts';
import { withNames } from '../journal/script-spec.ts';
import { problemsOfDocument, TOO_DEEP, tooDeepAt } from './check-document.ts';
import type { Origin } from './checks.ts';
import { keepNumbersAsWritten } from './numbers-as-written.ts';
import { withOutsideValues } from './outside-values.ts';
import { ownNames } from './own-names.ts';
import { type Path, type Problem, placed, problemsOf, type Source, scenarioError } from './problems.ts';
import { resolveScenario } from './resolve.ts';
import { type AskedAgainst, withAgainst } from './resolve-against.ts';
import { sampleFile } from './sample-file.ts';
import { scenarioSchema } from './schema.ts';

/**
 * Reads a scenario file and fills in every default; file names come out absolute, from the scenario's folder.
 * Throws PgsweepError `scenario` with one `file:line:column` line for each mistake. `against` goes over the file's own.
 */
export function loadScenario(file: string, against?: AskedAgainst): ResolvedScenario {
  return parseScenario(readScenario(file), file, against);
}

/** Reads a scenario from a text; `file` names it in messages. */
export function parseScenario(text: string, file: string, against?: AskedAgainst): ResolvedScenario {
  const source = parseYaml(text, relative(process.cwd(), resolve(file)) || file);
  const { document } = source;
  keepVersionsAsWritten(document);
  keepNumbersAsWritten(document);
  const folder = dirname(resolve(file));
  // How often aliases are followed has been looked at.
  const written = withAgainst(withoutOwnKeys(document.toJS({ maxAliasCount: -1 }) ?? {}), against);
  const origin = { folder, file: source.file, name: basename(file, extname(file)) };
  return scenarioOf(written, origin, (problems) => scenarioError(source, problems));
}

/**
 * The scenario of a document, wherever it comes from, with every default filled in. Where it has mistakes, throws what
 * `errorOf` makes of them.
 */
export function scenarioOf(
  written: unknown,
  origin: Origin,
  errorOf: (problems: readonly Problem[]) => PgsweepError,
): ResolvedScenario {
  const outside = withOutsideValues(written, { folder: origin.folder, env: process.env });
  if (outside.problems.length > 0) throw errorOf(outside.problems);
  const parsed = scenarioSchema.safeParse(withTarget(outside.document), { reportInput: true });
  if (!parsed.success) throw errorOf(problemsOf(parsed.error, written));
  const { scenario, problems } = resolveScenario(parsed.data, origin);
  rememberSecrets(scenario);
  if (problems.length > 0) throw errorOf(problems);
  // A run whose journal cannot be read again would be lost.
  const why = resolvedScenario(scenario);
  if (why === null) return withMaskedNames(scenario);
  const extremes = extremesIn(outside.document, []);
  throw errorOf(extremes.length > 0 ? extremes : [{ path: [], message: why }]);
}

/** Numbers that no journal can hold. */
function extremesIn(value: unknown, path: Path): Problem[] {
  if (typeof value === 'number' && !isModest(value))
    return [{ path, message: `${path.join('.')}: expected 0, or a number from 1e-100 to 1e18` }];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(isObject(value) ? value : {});
  return keys.flatMap((key) => extremesIn((value as Readonly<Record<string | number, unknown>>)[key], [...path, key]));
}

/** A job needs no service. */
function withTarget(document: unknown): unknown {
  const { target, load } = (document ?? {}) as {
    readonly target?: unknown;
    readonly load?: { readonly job?: unknown };
  };
  return target === undefined && load?.job !== undefined ? { ...(document as object), target: {} } : document;
}

/** A request without a name is called by its path, which may hold a secret. */
function withMaskedNames(scenario: ResolvedScenario): ResolvedScenario {
  const { workload } = scenario.load;
  const nameOf = ownNames();
  const masked = (name: string): string => nameOf(maskText(name));
  if (workload.kind === 'script') {
    const script = withNames(workload, masked);
    return { ...scenario, load: { ...scenario.load, workload: script } };
  }
  if (workload.kind !== 'requests') return scenario;
  const requests = workload.requests.map((request) => ({ ...request, name: masked(request.name) }));
  return { ...scenario, load: { ...scenario.load, workload: { ...workload, requests } } };
}

interface Mistake {
  readonly offset: number;
  readonly message: string;
}

/** Throws PgsweepError `scenario` where the text is no YAML, or none that a scenario could be. */
export function parseYaml(text: string, file: string): Source {
  const lines = new LineCounter();
  const invalid = (problems: readonly Mistake[]): PgsweepError =>
    new PgsweepError('scenario', placed({ file, lines }, problems), { hint: 'The file is not valid YAML.' });
  const tooDeep = tooDeepAt(text);
  // It also fills in where lines begin; of what is too deep no more than that is read.
  const readable = tooDeep === null ? text : text.replaceAll(/[^\n]/g, ' ');
  // That a key stands twice is found quicker by our own check.
  const options = { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false } as const;
  const document = parseDocument(readable, options);
  if (tooDeep !== null) throw invalid([{ offset: tooDeep, message: TOO_DEEP }]);
  // A tag that nobody knows is only a warning there, and its value would be taken for another.
  const warnings = document.warnings.map(({ pos: [offset], message }) => ({ offset, message }));
  const found = [...syntaxMistakes(document.errors, text, lines), ...warnings];
  if (found.length > 0) throw invalid(found);
  const source = { file, document, lines };
  const problems = problemsOfDocument(document);
  if (problems.length > 0) throw scenarioError(source, problems);
  return source;
}

/** Keys that begin with x- are the user's: a place for what aliases stand for. */
function withoutOwnKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-')));
}

/** Mistakes that the parser found. A tab in the indentation is the last: the rest may be right but for the tab. */
function syntaxMistakes(errors: readonly YAMLError[], text: string, lines: LineCounter): Mistake[] {
  const found = errors.map(({ pos: [offset], message }) => ({ offset, message, line: lines.linePos(offset).line }));
  const indentations = text.split('\n').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const tabIn = (line: number): number => (indentations[line - 1] ?? '').indexOf('\t') + 1;
  const first = found.findIndex(({ line }) => tabIn(line) + tabIn(line - 1) > 0);
  const before = found.slice(0, first < 0 ? undefined : first);
  const blamed = found[first]?.line;
  if (blamed === undefined) return before;
  const line = tabIn(blamed) > 0 ? blamed : blamed - 1;
  const offset = (lines.lineStarts[line - 1] ?? 0) + tabIn(line) - 1;
  return [...before, { offset, message: 'a tab cannot indent YAML: expected spaces' }];
}

/** `version: 17.10` is no number: that would be 17.1, which is another Postgres. */
function keepVersionsAsWritten(document: Document): void {
  visit(document, {
    Pair(_, { key, value }, path) {
      const [, , top] = path;
      const parent = path.at(-2);
      const isVersion = isScalar(key) && key.value === 'version' && isScalar(value) && value.source !== undefined;
      if (!isVersion || !isPair(top)) return;
      // What an alias stands for may be a version; where it is another number, nothing changes.
      const isAside = isScalar(top.key) && /^x-/.test(String(top.key)) && String(value.value) !== value.source;
      if (isAside && typeof value.value === 'number') value.value = value.source;
      if (!isPair(parent)) return;
      if (!/^(stack|variants)$/.test(String(top.key)) || !/^(postgres|opensearch)$/.test(String(parent.key))) return;
      if (typeof value.value === 'number') value.value = value.source;
    },
  });
}

/** Far more than anybody writes by hand. */
const MOST_BYTES = 1024 * 1024;

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
    return readBytesUpTo(file, MOST_BYTES);
  } catch (cause) {
    const reason =
      cause instanceof TextTooLong
        ? `${file} is too large for a scenario: expected at most 1 MB`
        : `${file} cannot be read${isAbsolute(file) ? '' : ` in ${process.cwd()}`}`;
    throw new PgsweepError('scenario', reason, {
      hint: `Name a scenario file, such as ${sampleFile()}, or write one with: pgsweep init`,
      cause,
    });
  }
}
