import type { Against, AgainstTaken } from '../../journal/run/against-record.ts';

const SHORT = 7;

/** The commits and the folder that are compared, a line each. */
export function sidesLines(
  { commits, work }: Pick<AgainstTaken, 'commits' | 'work'>,
  { carry = [] }: Partial<Against> = {},
): string[] {
  const how = { 'merge base': 'where your branch left it (--tip for its newest)', tip: 'its newest', commit: '' };
  const each = commits.map(({ ref, commit, at, command }) => {
    const short = commit.slice(0, SHORT);
    const name = commit.startsWith(ref) ? short : `${ref} at ${short}`;
    const started = command === undefined ? '' : `, started by ${command}`;
    return `against ${name}${how[at] === '' ? '' : `, ${how[at]}`}${started}`;
  });
  return [
    ...each,
    workLine(work),
    ...(carry.length === 0 ? [] : [`carried into all sides: ${carry.map(nameIn).join(', ')}`]),
  ];
}

/** Those of a scenario; none where it compares no commits. */
export function againstLines({ against }: { readonly against?: Against | undefined }): string[] {
  return against?.taken === undefined ? [] : sidesLines(against.taken, against);
}

/** `work tree: 3 files changed, 1 new` */
function workLine({ commit, changed, removed, added }: AgainstTaken['work']): string {
  const files = (count: number): string => `${count} file${count === 1 ? '' : 's'}`;
  const parts = [
    ...(changed > 0 ? [`${files(changed)} changed`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(added > 0 ? [`${added} new`] : []),
  ];
  const clean = parts.length === 0 ? 'nothing that is not committed' : parts.join(', ');
  return `work tree: your branch at ${commit.slice(0, SHORT)}, ${clean}`;
}

function nameIn(path: string): string {
  return path.replace(/.*[/\\](?=.)/, '');
}
