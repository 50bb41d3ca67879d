import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { libpqEnv, withoutLibpqEnv } from '../../base/libpq-env.ts';
import { nodeCommand } from '../../base/node-command.ts';
import { endOf, type SpawnOptions, spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import type { DatasetRecord } from '../../journal/records.ts';
import { requestValue } from '../../journal/request-value.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import { datasetProgram } from '../../journal/sample.ts';
import type { DatasetSpec } from '../../journal/scenario-record.ts';
import { byName, count, fields, list, optional, type Shape, text } from '../../journal/shape.ts';
import type { DatasetReport, ExampleDocument } from '../load/workload-module.ts';
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

export interface LoadedDataset {
  /** Null if the scenario asks for an empty database. */
  readonly record: DatasetRecord | null;
  /** Some of the documents, for workloads to read and change. */
  readonly examples: readonly ExampleDocument[];
}

/** Fills an empty database as the scenario says. Throws PgsweepError `dataset`. */
export async function loadDataset(
  spec: DatasetSpec,
  databaseUrl: string,
  options: LoadDatasetOptions,
): Promise<LoadedDataset> {
  const start = performance.now();
  const loaded = (name: string, { examples = [], ...record }: Loaded = {}): LoadedDataset => ({
    record: { name, documents: 0, byResource: {}, fingerprint: null, ...record, loadMs: performance.now() - start },
    examples,
  });
  const byCommand = async (command: Pick<DatasetCommand, 'command' | 'cwd'>, doing: string): Promise<Loaded> => {
    const { onProgress, reaper, signal } = options;
    signal.throwIfAborted();
    onProgress(doing);
    const { notes = [], error: _, ...report } = await runDatasetCommand({ ...command, databaseUrl, reaper, signal });
    for (const note of notes) onProgress(note);
    return report;
  };
  switch (spec.kind) {
    case 'none':
      return { record: null, examples: [] };
    case 'sql': {
      const leftOut: LeftOut[] = [];
      for (const file of spec.files) {
        options.onProgress(`running ${basename(file)}`);
        leftOut.push(
          ...(await runSqlFile(file, databaseUrl, { ...options, singleTransaction: spec.singleTransaction })),
        );
      }
      await vacuumAll(databaseUrl);
      const name = spec.files.map((file) => basename(file)).join(', ');
      const fingerprint = await filesFingerprint(spec.files);
      return loaded(name, { fingerprint, ...leftOutOf(leftOut) });
    }
    case 'dump':
      return loaded(basename(spec.dump), await loadDump(spec.dump, databaseUrl, options));
    case 'command': {
      const { command, cwd } = spec;
      const report = await byCommand({ command, cwd }, `running ${command}`);
      await vacuumAll(databaseUrl);
      return loaded(command, report);
    }
    default: {
      const { program, args, name } = datasetProgram(spec);
      return loaded(name, await byCommand({ command: [...nodeCommand(program), ...args] }, `loading ${name}`));
    }
  }
}

/** Facts about a data set; what is absent is not known. */
interface Loaded extends Partial<Omit<DatasetRecord, 'name' | 'loadMs'>>, Partial<Pick<LoadedDataset, 'examples'>> {}

function leftOutOf(leftOut: readonly LeftOut[]): Loaded {
  return leftOut.length > 0 ? { leftOut } : {};
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
  return { fingerprint, ...leftOutOf(leftOut) };
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

/** The sha256 of files in their order. */
async function filesFingerprint(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${statSync(file).size}\0`);
    await addFile(hash, file);
  }
  return hash.digest('hex');
}

async function addFile(hash: Hash, file: string): Promise<void> {
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
}

const reported: Shape<DatasetReport> = fields({
  documents: optional(count),
  byResource: optional(byName(count)),
  fingerprint: optional(text),
  examples: optional(list(fields({ id: text, resource: text, body: byName(requestValue) }))),
  notes: optional(list(text)),
  error: optional(fields({ message: text, hint: optional(text) })),
});

export interface DatasetCommand extends Pick<SpawnOptions, 'command' | 'cwd' | 'reaper'> {
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a command that fills an empty database. Returns its report, which is empty where it wrote none. Throws PgsweepError
 * `dataset` where it fails, and the signal's reason when aborted.
 */
export async function runDatasetCommand(asked: DatasetCommand): Promise<DatasetReport> {
  const { databaseUrl, signal, ...process } = asked;
  signal.throwIfAborted();
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-dataset-'));
  try {
    const file = join(folder, 'report.json');
    const others = withoutLibpqEnv(globalThis.process.env);
    const env = { ...others, ...libpqEnv(databaseUrl), DATABASE_URL: databaseUrl, PGSWEEP_DATASET_REPORT: file };
    const child = await spawnWatched({ ...process, env }).catch((cause: unknown) => {
      throw new PgsweepError('dataset', `the data set's command cannot be started: ${messageOf(cause)}`, { cause });
    });
    const { code, how } = await endOf(child, signal);
    signal.throwIfAborted();
    const report = existsSync(file) ? readReport(file) : {};
    if (code === 0 && report.error === undefined) return report;
    if (report.error !== undefined)
      throw new PgsweepError('dataset', report.error.message, { hint: report.error.hint });
    throw new PgsweepError(
      'dataset',
      `the data set's command "${[asked.command].flat().join(' ')}" ended with ${how}. Its last lines:\n${child.tail().join('\n')}`,
      { hint: 'It runs in the folder of the scenario, with DATABASE_URL set to an empty database.' },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): DatasetReport {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw wrongReport(messageOf(cause));
  }
  const why = reported(found);
  if (why !== null) throw wrongReport(`expected ${why}`);
  return found as DatasetReport;
}

function wrongReport(why: string): PgsweepError {
  return new PgsweepError(
    'dataset',
    `what the data set's command wrote to PGSWEEP_DATASET_REPORT cannot be read: ${why}`,
    {
      hint: 'It should be JSON, such as {"documents": 1000, "byResource": {"items": 1000}}.',
    },
  );
}
