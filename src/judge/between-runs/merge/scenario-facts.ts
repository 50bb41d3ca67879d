import { dirname, relative, resolve, sep } from 'node:path';
import { leavesOf } from '../../../base/leaves.ts';
import type { RunRecord } from '../../../journal/records.ts';
import { type Against, BRANCH } from '../../../journal/run/against-record.ts';

/** Where a scenario holds the name of a file or a folder. */
const PATHS = /(^|\.)(file|cwd|module|script|folder|dump|files\.\d+|carry\.\d+)$/;
/** Where each machine has its clone. */
const OF_MACHINE = 'against.taken.repository';

/**
 * Facts of a run's scenario, with paths that are the same on every machine: those in a snapshot from its folder, which has another
 * name in each user's cache, and others from the scenario's folder.
 */
export function scenarioFacts({ scenario, startedIn = '' }: Pick<RunRecord, 'scenario' | 'startedIn'>) {
  const home = dirname(resolve(startedIn, scenario.file));
  const folders = snapshotsOf(scenario.against);
  const stable = (path: string): string => {
    const [folder, name] = folders.find(([one]) => path === one || path.startsWith(`${one}${sep}`)) ?? [];
    return folder === undefined
      ? relative(home, resolve(startedIn, path))
      : `${name}: ${relative(folder, path) || '.'}`;
  };
  return leavesOf('', scenario)
    .filter(([place]) => place !== OF_MACHINE)
    .map(([place, value]): [string, string] => [place, PATHS.test(place) ? stable(value) : value]);
}

/** The folders of snapshots, and names of their sides. Their commits and the tree of the work are facts by themselves. */
function snapshotsOf({ taken }: Partial<Pick<Against, 'taken'>> = {}): (readonly [folder: string, name: string])[] {
  if (taken === undefined) return [];
  const { commits, work } = taken;
  // In a run without the tree, only the folder says which work tree it was.
  const ofWork = work.tree === undefined ? [] : [[work.folder, BRANCH] as const];
  return [...commits.map(({ folder, ref }) => [folder, ref] as const), ...ofWork];
}
