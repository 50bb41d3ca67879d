import { resolve } from 'node:path';
import type { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { readCsvRows } from '../../base/files/csv-rows.ts';
import { parseJsonPath } from '../../base/json-path.ts';
import { didYouMean } from '../../base/nearest.ts';
import type { TemplatePart } from '../../base/template.ts';
import {
  type CaptureSpec,
  type ScriptPart,
  type ScriptSpec,
  type StepSpec,
  stepsOf,
  type ThinkTime,
} from '../../journal/script-spec.ts';
import { type Origin, oneOf, requireFile } from '../checks.ts';
import { requireOwnNames } from '../own-names.ts';
import type { Path, Problem } from '../problem.ts';
import { NO_LOGIN } from './request-problems.ts';
import type { ScriptDocument, scriptPart, think } from './script-schema.ts';
import { sentRequest } from './sent-request.ts';

type PartDocument = z.infer<typeof scriptPart>;
type WayDocument = NonNullable<PartDocument['choose']>[number];
type StepDocument = Omit<PartDocument, 'choose'>;
type ThinkDocument = z.infer<typeof think>;

/** Names that a step may refer to, and the place for its problems. */
interface Around {
  readonly one: 'step' | 'request';
  readonly hasToken: boolean;
  /** The columns of its data; null where there is none, and undefined where it cannot be read. */
  readonly columns: readonly string[] | null | undefined;
  readonly think: ThinkTime | null;
  /** Names that some ways of a choice have captured, and others not. */
  readonly inSomeWays: Set<string>;
  readonly problems: Problem[];
}

/** The script of a load, with its defaults. */
export function resolveScript(
  load: ScriptDocument,
  hasToken: boolean,
  origin: Origin,
  problems: Problem[],
): ScriptSpec {
  const file = load.data === undefined ? null : resolve(origin.folder, load.data);
  const around: Around = {
    one: 'step',
    hasToken,
    columns: file === null ? null : columnsOf(file, problems),
    think: resolveThink(load.think, ['load', 'think'], problems),
    inSomeWays: new Set<string>(),
    problems,
  };
  const parts = resolveParts(load.script ?? [], around);
  const spec: ScriptSpec = {
    kind: 'script',
    parts,
    ...(file !== null && { data: { file } }),
    ...(load.sessions === 'new' && { sessions: load.sessions }),
  };
  checkScript(spec, around);
  return spec;
}

/**
 * Requests drawn by weight, some of which capture what later ones in the list send: a script that is one choice. A
 * connection draws among those whose values it has.
 */
export function resolveMix(
  requests: readonly (StepDocument & Pick<WayDocument, 'weight'>)[],
  hasToken: boolean,
  problems: Problem[],
): ScriptSpec {
  const around: Around = { one: 'request', hasToken, columns: null, think: null, inSomeWays: new Set(), problems };
  let known: Known = new Set();
  const ways = requests.map(({ weight = 1, ...request }, index) => {
    const { step, known: next } = resolveStep(request, ['load', 'requests', index], known, around);
    known = next;
    return { weight, steps: [step] };
  });
  const spec: ScriptSpec = { kind: 'script', parts: [{ kind: 'choice', ways }] };
  checkScript(spec, around);
  return spec;
}

function columnsOf(file: string, problems: Problem[]): readonly string[] | undefined {
  const path = ['load', 'data'];
  const before = problems.length;
  requireFile(file, path, problems);
  if (problems.length > before) return undefined;
  try {
    return readCsvRows(file).columns;
  } catch (error) {
    problems.push({ path, message: `load.data: ${file}: ${messageOf(error)}` });
    return undefined;
  }
}

/** Names that are captured by then, whichever way a user has gone. */
type Known = ReadonlySet<string>;

function resolveParts(documents: readonly PartDocument[], around: Around): ScriptPart[] {
  let known: Known = new Set();
  return documents.flatMap((document, index): ScriptPart[] => {
    const path = ['load', 'script', index];
    const kind = oneOf(document, ['path', 'choose'], path, around.problems);
    if (kind === 'choose') {
      onlyOwn(document, 'choose', ['choose'], path, around.problems);
      const ways = (document.choose ?? []).map((way, at) => resolveWay(way, [...path, 'choose', at], known, around));
      const [first] = ways;
      for (const name of ways.flatMap((way) => [...way.known])) around.inSomeWays.add(name);
      known = new Set([...(first?.known ?? [])].filter((name) => ways.every((way) => way.known.has(name))));
      return [{ kind: 'choice', ways: ways.map(({ weight, steps }) => ({ weight, steps })) }];
    }
    const { step, known: next } = resolveStep(document, path, known, around);
    known = next;
    return [{ kind: 'step', step }];
  });
}

function resolveWay(
  document: WayDocument,
  path: Path,
  before: Known,
  around: Around,
): { weight: number; steps: StepSpec[]; known: Known } {
  const { weight = 1, steps: documents, ...alone } = document;
  const kind = oneOf(document, ['path', 'steps'], path, around.problems);
  if (kind === 'steps') onlyOwn(document, 'steps', ['steps', 'weight'], path, around.problems);
  let known = before;
  const each = kind === 'steps' ? (documents ?? []) : [alone];
  const steps = each.map((one, at) => {
    const { step, known: next } = resolveStep(one, kind === 'steps' ? [...path, 'steps', at] : path, known, around);
    known = next;
    return step;
  });
  return { weight, steps, known };
}

/** Reports keys that apply to a single step, where there are several. */
function onlyOwn(document: object, kind: string, own: readonly string[], path: Path, problems: Problem[]): void {
  for (const [key, value] of Object.entries(document)) {
    if (value !== undefined && !own.includes(key))
      problems.push({ path, key, message: `${key} does not go with ${kind}: expected it in the steps` });
  }
}

function resolveStep(
  document: StepDocument,
  path: Path,
  known: Known,
  around: Around,
): { step: StepSpec; known: Known } {
  const { problems } = around;
  const { once } = document;
  const messagesOf = (parts: readonly TemplatePart[]): string[] =>
    parts.flatMap((part) => problemOf(part, known, around) ?? []);
  const sent = sentRequest(document, path, messagesOf, problems);
  const capture = captureOf(document, path, problems);
  const think =
    document.think === undefined ? around.think : resolveThink(document.think, [...path, 'think'], problems);
  const step: StepSpec = {
    ...sent,
    ...(once && { once }),
    ...(think !== null && { think }),
    ...(capture !== null && { capture }),
  };
  // One that is wrong is said once.
  return { step, known: new Set([...known, ...Object.keys(document.capture ?? {})]) };
}

function captureOf({ capture }: StepDocument, path: Path, problems: Problem[]): Record<string, CaptureSpec> | null {
  const entries = Object.entries(capture ?? {}).flatMap(([name, text]): [string, CaptureSpec][] => {
    const [kind, ...rest] = text.trim().split(/\s+/);
    const where = rest.join(' ');
    if (kind === 'json' && parseJsonPath(where) !== null) return [[name, { kind, path: where }]];
    if (kind === 'header' && /^[\w-]+$/.test(where)) return [[name, { kind, name: where.toLowerCase() }]];
    const message =
      kind === 'json'
        ? `expected a path such as $.items[0].id after json, not "${where}"`
        : 'expected json and a path, such as json $.id, or header and its name, such as header Location';
    problems.push({ path: [...path, 'capture', name], message: `capture.${name}: ${message}` });
    return [];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Null is no pause. */
function resolveThink(document: ThinkDocument | undefined, path: Path, problems: Problem[]): ThinkTime | null {
  if (document === undefined || document === 'none') return null;
  if (typeof document !== 'object') return { kind: 'constant', ms: document };
  const { exponential: meanMs, from: fromMs, to: toMs } = document;
  if (meanMs !== undefined && fromMs === undefined && toMs === undefined) return { kind: 'exponential', meanMs };
  const isRange = fromMs !== undefined && toMs !== undefined;
  if (meanMs === undefined && isRange && fromMs <= toMs) return { kind: 'uniform', fromMs, toMs };
  const why = isRange && fromMs > toMs ? ': from is longer than to' : '';
  problems.push({ path, message: `expected { exponential: 2s } or { from: 1s, to: 3s }${why}` });
  return null;
}

function problemOf(part: TemplatePart, known: Known, { one, hasToken, columns, inSomeWays }: Around): string | null {
  if (part.kind === 'token' && !hasToken) return NO_LOGIN;
  if (part.kind === 'loaded') return '${loaded} is for load.requests after a load.bulk, where none of them captures';
  if (part.kind === 'captured' && !known.has(part.name)) {
    if (inSomeWays.has(part.name))
      return `\${captured ${part.name}}: "${part.name}" is captured in one way of choose only: capture it in every way, or use it in that way`;
    const names = [...known];
    return `\${captured ${part.name}}: no earlier ${one} captures "${part.name}"${among(part.name, names)}`;
  }
  if (part.kind !== 'data' || columns === undefined || columns?.includes(part.column)) return null;
  if (columns === null) return `\${data ${part.column}} is a column of load.data, which is missing`;
  return `\${data ${part.column}}: load.data has no column "${part.column}"${among(part.column, columns)}`;
}

function among(name: string, names: readonly string[]): string {
  return `${names.length === 0 ? '' : `: expected ${names.join(', ')}`}${didYouMean(name, names, '')}`;
}

function checkScript(spec: ScriptSpec, { one, problems }: Around): void {
  const steps = stepsOf(spec);
  const path = ['load', one === 'step' ? 'script' : 'requests'];
  if (steps.length > 0 && steps.every(({ once }) => once))
    problems.push({ path, message: 'every step is sent once: expected one at least that is sent over and over' });
  const names = steps.map(({ name }) => name);
  requireOwnNames(names, one, path, problems);
}
