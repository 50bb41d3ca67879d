import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { appendLine, asDiskError } from '../../base/files/disk.ts';
import { git } from './git.ts';
import { type HistoryPoint, inCommitOrder, type MeasuredCommit, parseHistory } from './history-point.ts';
import { addToRef, readRef } from './history-ref.ts';

/** Where a history is kept: a file of JSON Lines, or one in a commit that a git ref names. */
export type HistoryPlace = { readonly file: string } | { readonly ref: string };

/** The points, in the order of their commits; none where there is no history yet. */
export function readHistory(place: HistoryPlace): HistoryPoint[] {
  return inCommitOrder(parseHistory(historyName(place), textOf(place)), parentsFirst);
}

/**
 * Adds a point as the last line. Throws PgsweepError `usage` where the history has as many rounds of the run, or it cannot be written to it, and
 * `disk` where the disk has no room.
 */
export function addToHistory(place: HistoryPlace, point: HistoryPoint): void {
  const { run, commit, rounds } = point;
  const lineAfter = (text: string): string => {
    const known = parseHistory(historyName(place), text).find((one) => one.run === run);
    if (known !== undefined && known.rounds >= rounds) {
      throw new PgsweepError('usage', `run ${run} is in ${historyName(place)} already`, {
        hint: 'Once the run has more rounds, they replace its line. To correct the line, remove it, then add the run again.',
      });
    }
    return `${text === '' || text.endsWith('\n') ? '' : '\n'}${JSON.stringify(point)}`;
  };
  if ('ref' in place) addToRef(place.ref, `${run} of ${commit}`, (text) => `${text}${lineAfter(text)}\n`);
  else appendToFile(place.file, lineAfter(textOf(place)));
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
  if ('ref' in place) return readRef(place.ref);
  if (!existsSync(place.file)) return '';
  try {
    return readFileSync(place.file, 'utf8');
  } catch (cause) {
    throw new PgsweepError('usage', `${place.file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
