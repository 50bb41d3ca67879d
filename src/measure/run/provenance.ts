import { execFile } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { PgsweepError } from '../../base/errors.ts';
import { pgsweepVersion } from '../../base/version.ts';
import type { DatasetRecord, Provenance } from '../../journal/records.ts';
import type { OwnServersReason, ServiceRole } from '../../journal/run/provenance-record.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import type { StartedOpenSearch } from '../stack/common/opensearch.ts';

/** Characters of a commit that is recorded. */
const COMMIT_CHARACTERS = 12;

/** Recorded facts of a server. */
export interface PostgresFacts {
  readonly kind: string;
  readonly version: string;
  readonly binaries: string;
  /** Settings that differ from Postgres's own defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly note?: string;
  /** Why each arm has its own server; null where all share one. */
  readonly ownServers: OwnServersReason | null;
}

/** Recorded facts of a stack. */
export interface StackFacts {
  readonly reason: string;
  readonly postgres: PostgresFacts | null;
  /** Records of parts of variants. */
  readonly parts?: Partial<Provenance>;
  readonly search: StartedOpenSearch | null;
  /** The role that services have; absent where no variant has a Postgres. */
  readonly role?: ServiceRole | undefined;
}

/** Facts that distinguish machines. */
export function thisMachine(): Pick<Provenance, 'cpuModel' | 'cpuCount' | 'memoryBytes'> {
  const processors = cpus();
  return {
    cpuModel: processors[0]?.model.trim() ?? 'unknown',
    cpuCount: processors.length,
    memoryBytes: totalmem(),
  };
}

/** The folders whose commits are recorded. */
export interface Sources {
  /** The scenario's; of a bulk load that of pgsweep itself. */
  readonly folder: string;
  /** By variant; empty where all are run in one folder. */
  readonly byVariant: ReadonlyMap<string, string>;
}

/** Where the services of a scenario come from. `path` is its file. */
export function sourcesOf(
  { target, variants, against }: Pick<ResolvedScenario, 'target' | 'variants' | 'against'>,
  path: string,
): Sources {
  const folder = dirname(path);
  // The record of a comparison has its commits.
  if (against !== undefined) return { folder, byVariant: new Map() };
  if (target.kind === 'services') return { folder, byVariant: new Map(variants.flatMap(otherFolder)) };
  const isOne = target.kind !== 'command' || variants.every(({ cwd }) => cwd === undefined);
  return {
    folder,
    byVariant: new Map(isOne ? [] : variants.map(({ name, cwd }) => [name, cwd ?? target.cwd])),
  };
}

/** Where a variant has a service in its own folder: of several, the first. */
function otherFolder({ name, services }: Variant): (readonly [string, string])[] {
  const [folder] = Object.values(services ?? {}).flatMap(({ cwd }) => cwd ?? []);
  return folder === undefined ? [] : [[name, folder]];
}

/** Where and on what a run is made. */
export async function gatherProvenance(
  { folder, byVariant }: Sources,
  { reason, postgres, parts, search, role }: StackFacts,
  dataset: DatasetRecord | null,
): Promise<Provenance> {
  const below = await gitFolder(folder);
  return {
    pgsweepVersion: pgsweepVersion(),
    gitCommit: await gitCommit(folder),
    ...(below !== null && { gitFolder: below }),
    ...(byVariant.size > 0 && { variantCommits: await commitsOf(byVariant) }),
    ...thisMachine(),
    kernel: `${type()} ${release()}`,
    nodeVersion: process.versions.node,
    stack: postgres?.kind ?? 'none',
    ...(postgres && { stackReason: reason }),
    ...(postgres?.note !== undefined && { stackNote: postgres.note }),
    postgresVersion: postgres?.version ?? null,
    postgresBinaries: postgres?.binaries ?? null,
    postgresSettings: postgres?.settings ?? {},
    ...(postgres?.ownServers && { ownServers: postgres.ownServers }),
    ...parts,
    ...(search && {
      openSearchVersion: search.version,
      openSearchRuntime: `${search.java}, heap ${search.heapMb} MB`,
    }),
    dataset,
    ...(role !== undefined && { serviceRole: role }),
  };
}

/** Throws PgsweepError `dataset` where a resumed run has other data than it began with, as far as its record says. */
export function requireSameData(before: DatasetRecord | null, now: DatasetRecord | null): void {
  if (before?.fingerprint === null || before?.fingerprint === now?.fingerprint) return;
  throw new PgsweepError(
    'dataset',
    'the data set is not the one that the run began with, so its rounds cannot be compared',
    {
      hint: `Its fingerprint was ${before?.fingerprint ?? 'none'} and is now ${now?.fingerprint ?? 'none'}, with pgsweep ${pgsweepVersion()}. Start a new run.`,
    },
  );
}

async function commitsOf(folders: Sources['byVariant']): Promise<Record<string, string>> {
  const commits: [string, string][] = [];
  for (const [variant, folder] of folders) {
    const commit = await gitCommit(folder);
    if (commit !== null) commits.push([variant, commit]);
  }
  return Object.fromEntries(commits);
}

/** The commit of the repository that a folder is in, `+changes` where files differ from it; null outside of one. */
async function gitCommit(folder: string): Promise<string | null> {
  try {
    const commit = await git(folder, 'rev-parse', `--short=${COMMIT_CHARACTERS}`, 'HEAD');
    return (await git(folder, 'status', '--porcelain', '--untracked-files=no')) === '' ? commit : `${commit}+changes`;
  } catch {
    return null;
  }
}

/** The folder below the top one of its repository; null outside of one. */
async function gitFolder(folder: string): Promise<string | null> {
  const prefix = await git(folder, 'rev-parse', '--show-prefix').catch(() => null);
  return prefix?.replace(/\/$/, '') ?? null;
}

async function git(folder: string, ...args: string[]): Promise<string> {
  // Without its locks git leaves the index as it is.
  const options = ['--no-optional-locks', '-C', folder, ...args];
  return (await promisify(execFile)('git', options, { timeout: 5000 })).stdout.trim();
}
