import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { fileMode } from '../../../base/files/own-files.ts';
import { makeFolders, removeUnused } from '../run-folder.ts';

/** The files of one `bulk-load`. */
export interface BulkFolder {
  readonly path: string;
  /** Everything that came out, as JSON. */
  readonly result: string;
  /** A line of JSON for each document that was never accepted. */
  readonly failures: string;
  readonly postgresLog: string;
  readonly openSearchLog: string;
  serviceLog(round: number): string;
  /** Removes what was made for this load where nothing has come of it, not even a log or a document that was lost. */
  removeUnused(): void;
}

/** Makes the folder. Throws PgsweepError `usage` where it holds a bulk load already or cannot be made. */
export function createBulkFolder(path: string): BulkFolder {
  const folder = resolve(path);
  const result = join(folder, 'bulk-load.json');
  const failures = join(folder, 'failures.jsonl');
  const logs = join(folder, 'logs');
  if (existsSync(result) || existsSync(failures)) {
    throw new PgsweepError('usage', `${path} already holds a bulk load`, {
      hint: 'Name another folder, or remove it.',
    });
  }
  let made: readonly string[];
  try {
    made = makeFolders(folder, ['logs']);
    writeFileSync(failures, '', { mode: fileMode() });
  } catch (cause) {
    throw new PgsweepError('usage', `the folder ${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
  return {
    path: folder,
    result,
    failures,
    postgresLog: join(logs, 'postgres.log'),
    openSearchLog: join(logs, 'opensearch.log'),
    serviceLog: (round) => join(logs, `service-${round}.log`),
    removeUnused() {
      if (existsSync(result) || readdirSync(logs).length > 0 || statSync(failures).size > 0) return;
      rmSync(failures);
      removeUnused(made);
    },
  };
}

/** The first lines of failures.jsonl, however long it is. */
export async function firstFailures({ failures }: BulkFolder, count: number): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const file = await open(failures);
  try {
    for await (const line of file.readLines()) {
      if (found.push(JSON.parse(line)) === count) break;
    }
    return found;
  } finally {
    await file.close();
  }
}
