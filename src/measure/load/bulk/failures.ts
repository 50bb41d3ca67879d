import { closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { asDiskError, writeWhole } from '../../../base/files/disk.ts';
import { fileMode, folderMode } from '../../../base/files/own-files.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import type { BulkJob } from '../load-generator.ts';
import type { Outcome } from './retry.ts';

/** A request that was never accepted, as a line of the file tells it. */
export interface Failure {
  readonly resource: string;
  /** By which its author finds it: the natural key of a document, or its number among the requests. */
  readonly identity: Readonly<Record<string, unknown>>;
  /** The status of the last answer. */
  readonly status: Outcome;
  readonly message: string;
  readonly attempts: number;
}

export interface FailuresFile {
  add(failure: Failure): void;
  close(): void;
}

/** Appends to the job's file, each line at once, so that a kill loses none. Throws PgsweepError `load`. */
export function openFailures({ failuresFile, labels }: Pick<BulkJob, 'failuresFile' | 'labels'>): FailuresFile {
  let file: number;
  try {
    mkdirSync(dirname(failuresFile), { recursive: true, mode: folderMode() });
    file = openSync(failuresFile, 'a', fileMode());
  } catch (cause) {
    throw new PgsweepError('load', `${failuresFile} cannot be written: ${messageOf(cause)}`, { cause });
  }
  return {
    add(failure) {
      try {
        writeWhole(file, `${JSON.stringify({ ...labels, ...maskKnownTexts(failure) })}\n`);
      } catch (cause) {
        throw asDiskError(cause, failuresFile);
      }
    },
    close: () => closeSync(file),
  };
}

/**
 * Removes the lines of a round and of those after it, which is made again: a run that ended within it is resumed. They stand
 * last, so the file becomes shorter in one step, which a kill cannot halve. Throws PgsweepError `load`.
 */
export function dropFailures(failuresFile: string, round: number): void {
  if (!existsSync(failuresFile)) return;
  try {
    const bytes = readFileSync(failuresFile);
    const end = startOfRound(bytes, round);
    if (end < bytes.length) truncateSync(failuresFile, end);
  } catch (cause) {
    throw new PgsweepError('load', `${failuresFile} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** The first byte of a round's lines, or of a last line that a kill has cut off. Labels begin each line, the round first. */
function startOfRound(bytes: Buffer, round: number): number {
  let at = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', at)) {
    const [, own = '0'] = /^\{"round":(\d+)/.exec(bytes.toString('latin1', at, Math.min(end, at + 40))) ?? [];
    if (Number(own) >= round) return at;
    at = end + 1;
  }
  return at;
}
