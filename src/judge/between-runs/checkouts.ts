import { dirname, join, relative, resolve } from 'node:path';
import type { RunRecord } from '../../journal/records.ts';
import { BRANCH } from '../../journal/run/against-record.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import { type OfSides, sides } from './types.ts';

/** The variant that stands for a run: its control, or the user's folder that was compared with commits. */
export function ownVariant({ scenario: { variants, control, against } }: RunRecord): Variant | undefined {
  const taken = against?.taken;
  const variant = variants.find(({ name }) => name === (taken === undefined ? control : BRANCH));
  return taken && variant ? moved(variant, taken.work.folder, taken.repository) : variant;
}

/** Two commits of a service, and where each lies once it is checked out beside the repository. */
export interface Checkouts {
  readonly commits: OfSides<string>;
  /** From the folder of the scenario. */
  readonly cwds: OfSides<string>;
}

/** The commits of the user's own service that was in the same folder both times; null if it was not. */
export function checkoutsOf(runs: OfSides<RunRecord>): Checkouts | null {
  const [base, head] = sides.map((side) => /^[0-9a-f]{7,64}/.exec(runs[side].provenance.gitCommit ?? '')?.[0]);
  if (base === undefined || head === undefined || base === head) return null;
  const [one, other] = [folderOf(runs.base), folderOf(runs.head)];
  if (one === undefined || one !== other) return null;
  const { scenario, startedIn = '', provenance } = runs.head;
  const { gitFolder } = provenance;
  const below = relative(dirname(resolve(startedIn, scenario.file)), one);
  // Old journals do not know how far below the top folder they are.
  const inside = gitFolder === undefined ? '.' : join(gitFolder, below);
  if (inside === '..' || inside.startsWith('../')) return null;
  const top = relative(gitFolder ?? '', '');
  const at = (side: string): string => join(top, '..', side, inside).replace(/\/$/, '');
  return { commits: { base, head }, cwds: { base: at('base'), head: at('head') } };
}

function folderOf(run: RunRecord): string | undefined {
  const { target } = run.scenario;
  return target.kind === 'command' ? (ownVariant(run)?.cwd ?? target.cwd) : undefined;
}

/** A value with every path in one folder at another. */
function moved<T>(value: T, from: string, to: string): T {
  if (typeof value === 'string') {
    return (value === from || value.startsWith(`${from}/`) ? `${to}${value.slice(from.length)}` : value) as T;
  }
  if (Array.isArray(value)) return value.map((one) => moved(one, from, to)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, moved(one, from, to)])) as T;
}
