import { PgsweepError } from '../../base/errors.ts';
import { BYTES, git, gitFailed, gitFor, runGit } from './git.ts';

const FILE_IN_REF = 'history.jsonl';
/** How often a commit is made again because somebody else has moved the ref. */
const TRIES = 10;

/** A history in a git ref, as it is in one commit. */
interface InRef {
  /** The commit that the ref names; null where there is no such ref yet. */
  readonly commit: string | null;
  readonly text: string;
}

/** The text of the history in a ref; empty where there is no such ref, or no history in it. Throws PgsweepError `usage`. */
export function readRef(ref: string): string {
  requireFullName(ref);
  return inRef(ref).text;
}

/** The ref is resolved once, and its text is that of the commit: a text and a commit of two moments would lose a run. */
function inRef(ref: string): InRef {
  const commit = commitOf(ref);
  if (commit === null) return { commit, text: '' };
  const entry = gitFor(ref, ['ls-tree', '--full-tree', commit, '--', FILE_IN_REF]);
  return { commit, text: entry === '' ? '' : gitFor(ref, ['cat-file', 'blob', `${commit}:${FILE_IN_REF}`]) };
}

/** The commit that a ref names; null where git knows no such ref. Only then git ends with 1 and says nothing. */
function commitOf(ref: string): string | null {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', ref];
  const ran = runGit(args);
  if ('out' in ran) return ran.out.trim();
  if (ran.status === 1 && ran.reason === '') return null;
  throw gitFailed(ref, args, ran.reason);
}

/**
 * Adds to the history in a ref, as a commit with that message. The ref is moved only from the commit that was read: where
 * somebody else has moved it since, `added` is asked again, so that two who add at once lose nothing.
 */
export function addToRef(ref: string, message: string, added: (text: string) => string): void {
  requireFullName(ref);
  const tree = workTreeOn(ref);
  if (tree !== null)
    throw new PgsweepError(
      'usage',
      `${ref} is checked out in ${tree}: git would show the added files there as deleted`,
      {
        hint: 'Name a ref that is checked out nowhere, such as refs/pgsweep/history.',
      },
    );
  let reason = '';
  let before = inRef(ref);
  for (let tries = 0; tries < TRIES; tries++) {
    const made = commitOn(ref, before, message, added(before.text));
    const moved = runGit(['update-ref', ref, made, before.commit ?? '0'.repeat(made.length)]);
    if ('out' in moved) return;
    const now = inRef(ref);
    // Without another commit it is no other writer that stood in the way.
    if (now.commit === before.commit) reason = moved.reason;
    before = now;
  }
  if (reason !== '') throw gitFailed(ref, ['update-ref'], reason);
  throw new PgsweepError('usage', `others have added to ${ref} each time that this run was to be added`, {
    hint: 'Nothing of it was added. Add it again.',
  });
}

/** Git writes another name outside of refs/, where nothing is pushed, and where its garbage collection deletes the commits. */
function requireFullName(ref: string): void {
  if (ref.startsWith('refs/')) {
    gitFor(ref, ['check-ref-format', ref]);
    return;
  }
  const found =
    git(['rev-parse', '--verify', '--quiet', '--symbolic-full-name', '--end-of-options', ref])?.trim() ?? '';
  const candidates = [found, ref.includes('/') ? `refs/${ref}` : '', 'refs/pgsweep/history'];
  const meant = candidates.find((one) => one.startsWith('refs/') && git(['check-ref-format', one]) !== null);
  throw new PgsweepError('usage', `${ref} is not the full name of a git ref`, { hint: `Did you mean ${meant}?` });
}

/** A commit with the history and what else the ref holds. */
function commitOn(ref: string, { commit }: InRef, message: string, text: string): string {
  const asked = (args: readonly string[], input = '', encoding?: typeof BYTES): string =>
    gitFor(ref, args, input, encoding).trim();
  const blob = asked(['hash-object', '-w', '--stdin'], text);
  // A branch may hold other files, too, such as a site.
  const others = commit === null ? '' : withoutHistory(asked(['ls-tree', '-z', '--full-tree', commit], '', BYTES));
  const root = asked(['mktree', '-z'], `${others}100644 blob ${blob}\t${FILE_IN_REF}\0`, BYTES);
  const parents = commit === null ? [] : ['-p', commit];
  return asked(['commit-tree', root, ...parents, '-m', message]);
}

/** The work tree in which a branch is checked out; null where there is none. A bare repository has none. */
function workTreeOn(ref: string): string | null {
  const trees = (git(['worktree', 'list', '--porcelain']) ?? '').split('\n\n').map((one) => one.split('\n'));
  const found = trees.find((lines) => lines.includes(`branch ${ref}`));
  return found?.[0]?.replace(/^worktree /, '') ?? null;
}

/** Entries of `git ls-tree -z` without the history. */
function withoutHistory(entries: string): string {
  const others = entries.split('\0').filter((entry) => entry !== '' && !entry.endsWith(`\t${FILE_IN_REF}`));
  return others.map((entry) => `${entry}\0`).join('');
}
