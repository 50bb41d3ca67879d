import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { appendLine, asDiskError } from '../../base/files/disk.ts';
import { type HistoryPoint, inCommitOrder, type MeasuredCommit, parseHistory } from './history-point.ts';

/** Where a history is kept: a file of JSON Lines, or one in a commit that a git ref names. */
export type HistoryPlace = { readonly file: string } | { readonly ref: string };

const FILE_IN_REF = 'history.jsonl';
/** Each byte as a character: the name of a file need not be UTF-8. */
const BYTES = 'latin1';

/** The points, in the order of their commits; none where there is no history yet. */
export function readHistory(place: HistoryPlace): HistoryPoint[] {
  return inCommitOrder(parseHistory(historyName(place), textOf(place)), parentsFirst);
}

/**
 * Adds a point as the last line. Throws PgsweepError `usage` where the run is in the history, or cannot be written to it, and
 * `disk` where the disk has no room.
 */
export function addToHistory(place: HistoryPlace, point: HistoryPoint): void {
  const text = textOf(place);
  if (parseHistory(historyName(place), text).some(({ run }) => run === point.run)) {
    throw new PgsweepError('usage', `run ${point.run} is in ${historyName(place)} already`);
  }
  const line = `${text === '' || text.endsWith('\n') ? '' : '\n'}${JSON.stringify(point)}`;
  if ('ref' in place) commitToRef(place.ref, `${text}${line}\n`, point);
  else appendToFile(place.file, line);
}

function appendToFile(file: string, line: string): void {
  const descriptor = openedToAppend(file);
  try {
    appendLine(descriptor, file, line);
  } finally {
    closeSync(descriptor);
  }
}

function openedToAppend(file: string): number {
  try {
    return openSync(file, 'a');
  } catch (cause) {
    throw asDiskError(cause, file);
  }
}

/** For messages. */
export function historyName(place: HistoryPlace): string {
  return 'ref' in place ? place.ref : place.file;
}

/** The commit that a revision names in the repository of the working folder; null where git knows none. */
export function findCommit(revision: string): MeasuredCommit | null {
  const found = git(['show', '-s', '--format=%H%n%cI%n%s', '--end-of-options', `${revision}^{commit}`]);
  if (found === null) return null;
  const [commit = '', committedAt = '', ...subject] = found.trimEnd().split('\n');
  return { commit, committedAt, subject: subject.join(' ') };
}

/** These commits, parents first, as far as git knows them in the repository of the working folder; none is older than `since`. */
function parentsFirst(commits: readonly string[], since: string): string[] {
  const known = commits.filter((commit) => /^[0-9a-f]{40,64}$/.test(commit));
  const options = ['--topo-order', '--reverse', '--ignore-missing', `--since=${since}`, '--stdin'];
  return git(['rev-list', ...options], known.join('\n'))?.split('\n') ?? [];
}

function textOf(place: HistoryPlace): string {
  if ('ref' in place) return git(['show', `${place.ref}:${FILE_IN_REF}`]) ?? '';
  if (!existsSync(place.file)) return '';
  try {
    return readFileSync(place.file, 'utf8');
  } catch (cause) {
    throw new PgsweepError('usage', `${place.file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The ref is moved only from the commit that was read, so that two who add at once lose nothing. */
function commitToRef(ref: string, text: string, { run, commit }: HistoryPoint): void {
  const before = git(['rev-parse', '--verify', '--quiet', '--end-of-options', ref])?.trim() ?? null;
  const asked = (args: readonly string[], input = '', encoding?: typeof BYTES): string => {
    const out = git(args, input, encoding);
    if (out === null)
      throw new PgsweepError('usage', `git ${args[0]} failed for ${ref}`, {
        hint: 'Is this a git repository, and the name a ref such as refs/pgsweep/history?',
      });
    return out.trim();
  };
  asked(['check-ref-format', ref]);
  const tree = workTreeOn(ref);
  if (tree !== null)
    throw new PgsweepError(
      'usage',
      `${ref} is checked out in ${tree}: git would show the added files there as deleted`,
      {
        hint: 'Name a ref that is checked out nowhere, such as refs/pgsweep/history.',
      },
    );
  const blob = asked(['hash-object', '-w', '--stdin'], text);
  // A branch may hold other files, too, such as a site.
  const others = before === null ? '' : withoutHistory(asked(['ls-tree', '-z', '--full-tree', before], '', BYTES));
  const root = asked(['mktree', '-z'], `${others}100644 blob ${blob}\t${FILE_IN_REF}\0`, BYTES);
  const parents = before === null ? [] : ['-p', before];
  const made = asked(['commit-tree', root, ...parents, '-m', `${run} of ${commit}`]);
  asked(['update-ref', ref, made, before ?? '0'.repeat(made.length)]);
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

/** The output of git; null where it fails or is not installed. A user without a name in git commits as pgsweep. */
function git(args: readonly string[], input = '', encoding: 'utf8' | typeof BYTES = 'utf8'): string | null {
  const who = { GIT_AUTHOR_NAME: 'pgsweep', GIT_AUTHOR_EMAIL: 'pgsweep@localhost' };
  const committer = { GIT_COMMITTER_NAME: 'pgsweep', GIT_COMMITTER_EMAIL: 'pgsweep@localhost' };
  try {
    return execFileSync('git', args, {
      input,
      encoding,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 256 * 1024 * 1024,
      env: { ...who, ...committer, ...process.env },
    });
  } catch (error) {
    if (messageOf(error).includes('ENOBUFS')) throw error;
    return null;
  }
}
