import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { folderMode } from '../base/files/own-files.ts';
import { visibleLines } from '../base/visible.ts';
import type { RunRecord } from '../journal/records.ts';
import type { Estimate } from '../plan/estimate.ts';

/** Where runs are by default. */
export const RESULTS = 'results';

/** The files of a run. `results/<scenario>-<time>/` by default. */
export interface RunFolder {
  readonly path: string;
  readonly journal: string;
  readonly samples: string;
  readonly postgresLog: string;
  readonly openSearchLog: string;
}

export function runFolderAt(path: string): RunFolder {
  return {
    path,
    journal: join(path, 'journal.jsonl'),
    samples: join(path, 'samples', 'pg_stat_database.csv'),
    postgresLog: join(path, 'logs', 'postgres.log'),
    openSearchLog: join(path, 'logs', 'opensearch.log'),
  };
}

/** `results/pool-size-2026-01-31T10-00-00`, or the folder asked for. */
export function defaultRunFolder(scenario: string, startedAt: Date): string {
  return join(RESULTS, `${scenario}-${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}`);
}

/** Makes the folder. Throws PgsweepError `usage` where it already holds a run or cannot be made. */
export function createRunFolder(path: string): RunFolder {
  const folder = runFolderAt(resolve(path));
  if (existsSync(folder.journal)) {
    throw new PgsweepError('usage', `${path} already holds a run`, {
      hint: `Name another folder, go on with that run by --resume ${path}, or remove it.`,
    });
  }
  try {
    makeFolders(folder.path, ['samples', 'logs']);
  } catch (cause) {
    throw new PgsweepError('usage', `the folder ${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
  return folder;
}

/** Makes a folder with folders in it, for the user alone unless they are to be shared; what holds it is made as usual. */
export function makeFolders(path: string, names: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  for (const folder of [path, ...names.map((name) => join(path, name))])
    mkdirSync(folder, { recursive: true, mode: folderMode() });
}

/** Writes run.json: the resolved scenario, plan, seed and provenance, for people and other tools; what a terminal would obey stands as `\u001b`. */
export function writeRunFile(folder: RunFolder, run: RunRecord, plan: Estimate): void {
  const { type: _, ...fields } = run;
  writeFileAtomic(join(folder.path, 'run.json'), visibleLines(`${JSON.stringify({ ...fields, plan }, null, 2)}\n`));
}
