import { basename } from 'node:path';
import { present } from '../../base/present.ts';
import type { Against, AgainstTaken } from '../../journal/run/against-record.ts';
import { plural } from '../../judge/format.ts';

const how = { 'merge base': ', where your branch left it (--tip for its newest)', tip: ', its newest', commit: '' };

/** The commits and the folder that a scenario compares, a line each; none where it compares none. */
export function againstLines({ against }: { readonly against?: Against | undefined }): string[] {
  if (against?.taken === undefined) return [];
  const { settings, taken } = against;
  const { commits, work, emptySubmodules = [] } = taken;
  const carried = against.carry.map((path) => basename(path)).join(', ');
  return [
    ...commits.map(({ ref, commit, at, command }) => {
      const name = commit.startsWith(ref) ? short(commit) : `${ref} at ${short(commit)}`;
      return `against ${name}${how[at]}${command === undefined ? '' : `, started by ${command}`}`;
    }),
    `work tree: your branch at ${short(work.commit)}, ${changesIn(work)}`,
    ...(carried === '' ? [] : [`carried into all sides: ${carried}`]),
    ...(settings === undefined ? [] : [`all sides have the settings of ${settings}; other variants are left out`]),
    ...emptySubmodules.map((path) => `submodule ${path}: empty on all sides (--carry ${path} gives all sides yours)`),
  ];
}

/** `3 files changed, 1 new` */
function changesIn({ changed, removed, added }: AgainstTaken['work']): string {
  const counts = [changed > 0 && `${plural(changed, 'file')} changed`, removed > 0 && `${removed} removed`];
  return present([...counts, added > 0 && `${added} new`]).join(', ') || 'nothing uncommitted';
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
