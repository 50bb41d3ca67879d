import { accessSync, constants, existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic-file.ts';
import { folderMode } from '../../base/files/own-files.ts';
import { type Holder, holderOf, lockFolder } from '../../base/process/folder-lock.ts';
import { visibleLines } from '../../base/visible.ts';
import type { RunRecord } from '../../journal/records.ts';
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
  /** The folders that were made for it, each ahead of those in it; none for a resumed run. */
  readonly made: readonly string[];
}

export function runFolderAt(path: string, made: readonly string[] = []): RunFolder {
  return {
    path,
    made,
    journal: join(path, 'journal.jsonl'),
    samples: join(path, 'samples', 'pg_stat_database.csv'),
    postgresLog: join(path, 'logs', 'postgres.log'),
    openSearchLog: join(path, 'logs', 'opensearch.log'),
  };
}

/** The folder of a run, given the folder or its journal. */
export function folderOf(run: string): string {
  return statSync(run, { throwIfNoEntry: false })?.isFile() ? dirname(run) : run;
}

/** `results/pool-size-2026-01-31T10-00-00` */
export function defaultRunFolder(scenario: string, startedAt: Date): string {
  return join(RESULTS, `${scenario}-${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}`);
}

/** Throws PgsweepError `usage` where another process runs in this folder: two that write one journal damage it. */
export function requireFree(path: string): void {
  const other = holderOf(path);
  if (other === null) return;
  const { pid, file, isElsewhere } = other;
  throw new PgsweepError('usage', `${nameOf(other)} is running in ${path}, and two runs cannot share a folder`, {
    hint: `Wait until it ends, or end it with Ctrl-C. A new run can have another folder (--out). If ${isElsewhere ? 'there is none' : `process ${pid} is not pgsweep`}, remove ${file}`,
  });
}

function nameOf({ pid, isElsewhere }: Holder): string {
  return isElsewhere ? 'a process of another container or machine' : `process ${pid}`;
}

/** Takes the folder for this process. Returns what gives it back. Throws PgsweepError like `requireFree`, or where the lock cannot be written. */
export function takeFolder(path: string): () => void {
  for (;;) {
    requireFree(path);
    const giveBack = lockFolder(path);
    // Else another was faster.
    if (giveBack !== null) return giveBack;
  }
}

/** Makes the folder. Throws PgsweepError `usage` where it is in use or already holds a run, cannot be made, or is there and cannot be written. */
export function createRunFolder(path: string): RunFolder {
  const folder = resolve(path);
  requireFree(path);
  // An empty one was left by a run that had no room for its first record: there is nothing to resume.
  const { journal } = runFolderAt(folder);
  if (existsSync(journal) && statSync(journal).size > 0) {
    throw new PgsweepError('usage', `${path} already holds a run`, {
      hint: `Name another folder, resume that run with --resume ${path}, or remove it.`,
    });
  }
  const names = ['samples', 'logs'];
  let made: string[];
  try {
    made = makeFolders(folder, names);
  } catch (cause) {
    throw new PgsweepError('usage', `the folder ${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
  try {
    for (const own of ['.', ...names]) accessSync(join(folder, own), constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new PgsweepError('usage', `the folder ${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
  return runFolderAt(folder, made);
}

/**
 * Makes a folder with folders in it, for the user alone unless they are to be shared; what holds it is made as usual.
 * Returns the folders that were not there before, each ahead of those in it.
 */
export function makeFolders(path: string, names: readonly string[]): string[] {
  const holds = missingFolders(dirname(path));
  mkdirSync(dirname(path), { recursive: true });
  const own = [path, ...names.map((name) => join(path, name))].filter((folder) => !existsSync(folder));
  for (const folder of own) mkdirSync(folder, { mode: folderMode() });
  return [...holds, ...own];
}

/** Removes what `makeFolders` has made, but for what something has come to lie in. */
export function removeUnused(made: readonly string[]): void {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // It is not empty.
    }
  }
}

function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [...missingFolders(dirname(path)), path];
}

/** Writes run.json: the resolved scenario, plan, seed and provenance, for people and other tools; what a terminal would obey stands as `\u001b`. */
export function writeRunFile(folder: RunFolder, run: RunRecord, plan: Estimate): void {
  const { type: _, ...fields } = run;
  writeFileAtomic(join(folder.path, 'run.json'), visibleLines(`${JSON.stringify({ ...fields, plan }, null, 2)}\n`));
}
