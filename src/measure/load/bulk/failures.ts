import { closeSync, mkdirSync, openSync } from 'node:fs';
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
