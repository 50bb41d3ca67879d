import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { endOf, spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import type { DatasetSpec } from '../../journal/scenario-record.ts';
import { type LoadedDataset, loadSample } from '../sample.ts';
import { dumpKindOf } from './dump-kind.ts';
import { type FindRestore, restoreDump } from './restore-dump.ts';
import { runSqlFile, vacuumAll } from './run-sql-file.ts';

export interface LoadDatasetOptions {
  /** For dumps in pg_dump's own formats; absent where there are none. */
  readonly findRestore?: FindRestore;
  readonly reaper: Reaper;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Fills an empty database as the scenario says. Throws PgsweepError `dataset`. */
export async function loadDataset(
  spec: DatasetSpec,
  databaseUrl: string,
  options: LoadDatasetOptions,
): Promise<LoadedDataset> {
  const start = performance.now();
  const bare = (name: string, { fingerprint = null, leftOut = [] }: Partial<Loaded> = {}): LoadedDataset => ({
    record: {
      name,
      documents: 0,
      byResource: {},
      fingerprint,
      loadMs: performance.now() - start,
      ...(leftOut.length > 0 && { leftOut }),
    },
    examples: [],
  });
  switch (spec.kind) {
    case 'none':
      return { record: null, examples: [] };
    case 'template':
    case 'edfi':
      return (await loadSample()).loadDataset(spec, databaseUrl, options);
    case 'schema':
      await (await loadSample()).createSchema(databaseUrl);
      return bare('the tables of the document service, empty');
    case 'sql': {
      const leftOut: LeftOut[] = [];
      for (const file of spec.files) {
        options.onProgress(`running ${basename(file)}`);
        leftOut.push(
          ...(await runSqlFile(file, databaseUrl, { ...options, singleTransaction: spec.singleTransaction })),
        );
      }
      await vacuumAll(databaseUrl);
      return bare(spec.files.map((file) => basename(file)).join(', '), { leftOut });
    }
    case 'dump':
      return bare(basename(spec.dump), await loadDump(spec.dump, databaseUrl, options));
    case 'command':
      await runCommand(spec.command, spec.cwd, databaseUrl, options);
      return bare(spec.command);
  }
}

interface Loaded {
  readonly fingerprint: string | null;
  readonly leftOut: readonly LeftOut[];
}

async function loadDump(dump: string, databaseUrl: string, options: LoadDatasetOptions): Promise<Loaded> {
  const { findRestore } = options;
  const content = dumpKindOf(dump);
  const fingerprint = await dumpFingerprint(dump);
  const load = async (): Promise<LeftOut[]> => {
    if (content.kind !== 'sql') {
      if (findRestore === undefined) throw new Error('pg_restore is not known');
      return restoreDump(dump, content, databaseUrl, { ...options, findRestore });
    }
    options.onProgress(`running ${basename(dump)}`);
    return runSqlFile(dump, databaseUrl, options);
  };
  const leftOut = await load();
  await vacuumAll(databaseUrl);
  return { fingerprint, leftOut };
}

async function runCommand(
  command: string,
  cwd: string,
  databaseUrl: string,
  options: LoadDatasetOptions,
): Promise<void> {
  const { onProgress, reaper, signal } = options;
  signal.throwIfAborted();
  onProgress(`running ${command}`);
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const child = await spawnWatched({ command, cwd, reaper, env }).catch((cause: unknown) => {
    throw new PgsweepError('dataset', `the data set's command cannot be started: ${messageOf(cause)}`, { cause });
  });
  const { code, how } = await endOf(child, signal);
  signal.throwIfAborted();
  if (code !== 0) {
    throw new PgsweepError(
      'dataset',
      `the data set's command "${command}" ended with ${how}. Its last lines:\n${child.tail().join('\n')}`,
      {
        hint: 'It runs in the folder of the scenario, with DATABASE_URL set to an empty database.',
      },
    );
  }
}

/** The sha256 of a file as it lies there; of a folder that of its files' names and contents, in the order of names. */
export async function dumpFingerprint(dump: string): Promise<string> {
  const hash = createHash('sha256');
  if (!statSync(dump).isDirectory()) {
    await addFile(hash, dump);
    return hash.digest('hex');
  }
  for (const name of readdirSync(dump).sort()) {
    hash.update(`${name}\0${statSync(join(dump, name)).size}\0`);
    await addFile(hash, join(dump, name));
  }
  return hash.digest('hex');
}

async function addFile(hash: Hash, file: string): Promise<void> {
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
}
