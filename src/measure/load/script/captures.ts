import { once } from '../../../base/async/once.ts';
import { exactJsonOf, NumberText } from '../../../base/exact-json.ts';
import { type JsonKey, parseJsonPath, valueAt } from '../../../base/json-path.ts';
import type { CaptureSpec } from '../../../journal/script-spec.ts';
import { withoutBase } from '../base-path.ts';

/** Captured value, as it stands in an answer. */
export type Captured = string | number | boolean | NumberText;

/** The parts of an answer that a script can look at. */
export interface ScriptAnswer {
  readonly status: number;
  /** Whole. */
  readonly body: string;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Adds what the answer has to `into`. Returns what it lacks, in a sentence; null where it has all. */
export type Capture = (answer: ScriptAnswer, into: Map<string, Captured>) => string | null;

/** Looks for all values of a step's `capture`. `base`: path of the service's address, which a captured place is without. */
export function compileCaptures(specs: Readonly<Record<string, CaptureSpec>>, base = ''): Capture {
  const each = Object.entries(specs).map(([name, spec]) => ({ name, find: finderOf(spec, base) }));
  return (answer, into) => {
    const json = once(() => exactJsonOf(answer.body));
    const lacking = each.flatMap(({ name, find }) => {
      const found = find(answer, json);
      if (typeof found === 'object' && 'lacks' in found) return [`"${name}" could not be captured: ${found.lacks}`];
      into.set(name, found);
      return [];
    });
    return lacking.length === 0 ? null : lacking.join('; ');
  };
}

type Finder = (answer: ScriptAnswer, json: () => unknown) => Captured | { readonly lacks: string };

function finderOf(spec: CaptureSpec, base: string): Finder {
  if (spec.kind === 'json') {
    const keys = parseJsonPath(spec.path) ?? [];
    return (_, json) => fromJson(json(), spec.path, keys);
  }
  return ({ headers }) => {
    const value = headers.find(([name]) => name === spec.name)?.[1];
    if (value === undefined || value === '') return { lacks: `the answer has no header ${spec.name}` };
    return spec.name === 'location' ? withoutBase(pathOf(value), base) : value;
  };
}

function fromJson(value: unknown, path: string, keys: readonly JsonKey[]): ReturnType<Finder> {
  if (value === undefined) return { lacks: 'the body of the answer is no JSON' };
  const found = valueAt(value, keys);
  if (typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean') return found;
  if (found instanceof NumberText) return found;
  return {
    lacks: found === undefined || found === null ? `there is nothing at ${path}` : `at ${path} is no single value`,
  };
}

/** Requests go to the service by its own address, so that of a whole URL its path is left. */
function pathOf(location: string): string {
  if (!/^https?:\/\//i.test(location) || !URL.canParse(location)) return location;
  const { pathname, search } = new URL(location);
  return pathname + search;
}
