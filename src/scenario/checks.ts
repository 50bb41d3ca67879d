import { existsSync, statSync } from 'node:fs';
import type { FactorValue } from '../journal/scenario-record.ts';
import type { Path, Problem } from './problem.ts';

/** Where a scenario stands: relative names are taken from `folder`. */
export interface Origin {
  readonly folder: string;
  readonly file: string;
  readonly name: string;
}

/** The one of the keys that is there; a problem where there is none, or more than one. */
export function oneOf<Key extends string>(
  value: Readonly<Partial<Record<Key, unknown>>>,
  keys: readonly Key[],
  path: Path,
  problems: Problem[],
): Key | null {
  const [first, second] = keys.filter((key) => value[key] !== undefined);
  if (first === undefined) problems.push({ path, message: `${path.join('.')}: expected one of ${keys.join(', ')}` });
  if (second !== undefined)
    problems.push({
      path,
      key: second,
      message: `${path.join('.')}: expected one of ${keys.join(', ')}, not both ${first} and ${second}`,
    });
  return first ?? null;
}

/** A problem at the first level that stands twice, however it is written; `path` is that of the list. */
export function requireDistinct(levels: readonly FactorValue[], path: Path, problems: Problem[]): void {
  const names = levels.map(String);
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated >= 0) problems.push({ path: [...path, repeated], message: `level ${names[repeated]} stands twice` });
}

/** A factor by the thing that it sets: a variable, a setting, an index, or a part of a variant. */
interface Setter {
  readonly name: string;
  readonly env?: string | undefined;
  readonly setting?: string | undefined;
  readonly other?: string | undefined;
}

/** A problem for each factor below `root` that sets what an earlier one sets: the last would win, and the other would do nothing. */
export function requireOwnTargets(root: string, factors: readonly Setter[], problems: Problem[]): void {
  const first = new Map<string, string>();
  for (const { name, env, setting, other } of factors) {
    const set = env ?? setting ?? other;
    const key = JSON.stringify([env, setting?.toLowerCase(), other]);
    const before = first.get(key);
    if (set === undefined || before === undefined) first.set(key, name);
    else {
      const message = `${root}.${name}: ${root}.${before} sets ${set} already: expected one factor for it`;
      problems.push({ path: [root], key: name, message });
    }
  }
}

/** A problem where there is no such folder. */
export function requireFolder(folder: string, path: Path, problems: Problem[]): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    problems.push({ path, message: `${path.join('.')}: there is no folder ${folder}` });
}

/** A problem where there is no such file. */
export function requireFile(file: string, path: Path, problems: Problem[]): void {
  if (!existsSync(file) || !statSync(file).isFile())
    problems.push({ path, message: `${path.join('.')}: there is no file ${file}` });
}

/** A problem where there is neither such a file nor such a folder. */
export function requireThere(place: string, path: Path, problems: Problem[]): void {
  if (!existsSync(place)) problems.push({ path, message: `${path.join('.')}: there is no file or folder ${place}` });
}
