import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Summary } from '../../../src/judge/summary.ts';
import { type GithubMachine, githubMachine, pullRequestRepository, runWorkflow } from './action-run.ts';
import { type Comment, startCommentsApi } from './comments-api.ts';
import { plantedService, scenarioOfService } from './planted-service.ts';
import type { RanJob } from './runner.ts';

export interface PlantedPullRequest {
  /** How many thousand steps of work an answer takes. */
  readonly work: { readonly base: number; readonly head: number };
  /** Of `load` in YAML, all but the requests. */
  readonly load: string;
  /** Of `rounds` in YAML. */
  readonly rounds: string;
  /** Of the action. */
  readonly inputs: Readonly<Record<string, string>>;
}

export interface MeasuredPullRequest {
  readonly job: RanJob;
  readonly comments: readonly Comment[];
  readonly kept: GithubMachine['kept'];
  /** Null where the run came to none. */
  readonly summary: Summary | null;
}

/**
 * Runs the example workflow on a pull request that changes how much work an answer takes: both are checked out, installed
 * and measured by the pgsweep of this clone, or by the `package` that the inputs name.
 */
export async function measurePullRequest({
  work,
  load,
  rounds,
  inputs,
}: PlantedPullRequest): Promise<MeasuredPullRequest> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-pull-request-'));
  const [repository, programs] = [join(folder, 'repository'), join(folder, 'bin')];
  for (const path of [repository, programs]) mkdirSync(path);
  const api = await startCommentsApi();
  const github = githubMachine({ apiUrl: api.url, pullRequest: 7, programs, repository });
  try {
    const pgsweep = join(programs, 'pgsweep');
    writeFileSync(pgsweep, `#!/bin/sh\nexec node ${JSON.stringify(resolve('src/cli/bin.mjs'))} "$@"\n`);
    chmodSync(pgsweep, 0o755);
    const base = { ...plantedService(work.base), ...scenarioOfService({ load, rounds }) };
    pullRequestRepository(repository, base, plantedService(work.head));
    const job = await runWorkflow(github, inputs);
    const { comments, kept } = { comments: [...api.comments], kept: [...github.kept] };
    return { job, comments, kept, summary: summaryOf(kept) };
  } finally {
    api.close();
    github.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function summaryOf([artifact]: GithubMachine['kept']): Summary | null {
  if (artifact?.files.includes('summary.json') !== true) return null;
  return JSON.parse(readFileSync(join(artifact.path, 'summary.json'), 'utf8')) as Summary;
}
