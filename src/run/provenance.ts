import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { DatasetRecord, Provenance } from '../journal/records.ts';
import type { StartedOpenSearch } from '../stack/common/opensearch.ts';

/** What is recorded of a server. */
export interface PostgresFacts {
  readonly kind: string;
  readonly version: string;
  readonly binaries: string;
  /** What differs from Postgres's own defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly note?: string;
}

/** What is recorded of a stack. */
export interface StackFacts {
  readonly reason: string;
  readonly postgres: PostgresFacts | null;
  readonly search: StartedOpenSearch | null;
}

/** The version in our own package.json. */
export function pgsweepVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** What tells machines apart. */
export function thisMachine(): Pick<Provenance, 'cpuModel' | 'cpuCount' | 'memoryBytes'> {
  const processors = cpus();
  return {
    cpuModel: processors[0]?.model.trim() ?? 'unknown',
    cpuCount: processors.length,
    memoryBytes: totalmem(),
  };
}

/** Where and on what a run is made. `scenarioFile` names the repository whose commit is recorded. */
export async function gatherProvenance(
  scenarioFile: string,
  { reason, postgres, search }: StackFacts,
  dataset: DatasetRecord | null,
): Promise<Provenance> {
  return {
    pgsweepVersion: pgsweepVersion(),
    gitCommit: await gitCommit(dirname(scenarioFile)),
    ...thisMachine(),
    kernel: `${type()} ${release()}`,
    nodeVersion: process.versions.node,
    stack: postgres?.kind ?? 'none',
    ...(postgres && { stackReason: reason }),
    ...(postgres?.note !== undefined && { stackNote: postgres.note }),
    postgresVersion: postgres?.version ?? null,
    postgresBinaries: postgres?.binaries ?? null,
    postgresSettings: postgres?.settings ?? {},
    ...(search && {
      openSearchVersion: search.version,
      openSearchRuntime: `${search.java}, heap ${search.heapMb} MB`,
    }),
    dataset,
  };
}

/** The commit of the repository that a folder is in, `+changes` where files differ from it; null outside of one. */
async function gitCommit(folder: string): Promise<string | null> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', ['-C', folder, ...args], { timeout: 5000 })).stdout.trim();
  try {
    const commit = await git('rev-parse', '--short=12', 'HEAD');
    return (await git('status', '--porcelain', '--untracked-files=no')) === '' ? commit : `${commit}+changes`;
  } catch {
    return null;
  }
}
