import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { TOKEN } from './comments-api.ts';
import { type Machine, type RanJob, runJob, type Step } from './runner.ts';

export const actionFolder = resolve('scripts/github');

/** An artifact that was kept. */
export interface Kept {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
}

/** A machine of GitHub's, in folders that `close` removes. */
export interface GithubMachine {
  readonly machine: Machine;
  readonly workspace: string;
  readonly kept: readonly Kept[];
  close(): void;
}

export interface MachineOptions {
  readonly apiUrl: string;
  /** Absent where the job is not one of a pull request. */
  readonly pullRequest?: number;
  /** A folder whose programs go before those of PATH. */
  readonly programs?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The repository that actions/checkout takes; absent where nothing checks out. */
  readonly repository?: string;
}

export function githubMachine(options: MachineOptions): GithubMachine {
  const { apiUrl, pullRequest, programs, env = {}, repository } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-github-'));
  const [workspace, temp] = [join(folder, 'workspace'), join(folder, 'temp')];
  for (const path of [workspace, temp]) mkdirSync(path);
  const kept: Kept[] = [];
  const { PATH = '', ...own } = process.env;
  const machine: Machine = {
    workspace,
    temp,
    env: {
      ...(own as Record<string, string>),
      PATH: programs === undefined ? PATH : [programs, PATH].join(delimiter),
      GITHUB_API_URL: apiUrl,
      GITHUB_SERVER_URL: 'https://github.test',
      GITHUB_REPOSITORY: 'own/service',
      GITHUB_RUN_ID: '42',
      ...env,
    },
    github: { token: TOKEN, event: pullRequest === undefined ? {} : { pull_request: { number: pullRequest } } },
    useAction: async (uses, inputs) => {
      const [name = ''] = uses.split('@');
      if (name === 'actions/setup-node') return {};
      if (name === 'actions/checkout' && repository !== undefined) {
        const depth = inputs['fetch-depth'] ?? '1';
        git(workspace, 'clone', '--quiet', '--depth', depth, `file://${repository}`, inputs.path ?? '.');
        return {};
      }
      if (name !== 'actions/upload-artifact') throw new Error(`this machine has no action ${uses}`);
      const { name: artifact = '', path = '' } = inputs;
      if (!existsSync(path)) {
        if (inputs['if-no-files-found'] !== 'ignore') throw new Error(`there is nothing to keep in ${path}`);
        return {};
      }
      kept.push({ name: artifact, path, files: readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() });
      return { 'artifact-url': 'https://github.test/artifact/1' };
    },
  };
  return { machine, workspace, kept, close: () => rmSync(folder, { recursive: true, force: true }) };
}

type Files = Readonly<Record<string, string>>;

/**
 * A repository with the workflow and the action, set up as docs/comparing.md says, whose HEAD is the commit that GitHub
 * makes of a pull request: the base and the head, merged.
 */
export function pullRequestRepository(folder: string, base: Files, head: Files): void {
  const write = (files: Files): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    git(folder, 'add', '--all');
  };
  const commit = (message: string): void => git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  cpSync(actionFolder, join(folder, '.github/actions/pgsweep'), { recursive: true });
  write(base);
  commit('base');
  git(folder, 'switch', '--quiet', '--create', 'change');
  write(head);
  commit('head');
  git(folder, 'switch', '--quiet', 'main');
  git(folder, 'merge', '--quiet', '--no-ff', '--message', 'Merge head into base', 'change');
}

/** Runs the job of the example workflow, with other inputs of the action where they are given. */
export function runWorkflow(
  { machine }: GithubMachine,
  inputs: Readonly<Record<string, string>> = {},
): Promise<RanJob> {
  const workflow = parse(readFileSync(join(actionFolder, 'pull-request.yml'), 'utf8')) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  const [job] = Object.values(workflow.jobs);
  const steps = (job?.steps ?? []).map((step) =>
    step.uses?.startsWith('./') ? { ...step, with: { ...step.with, ...inputs } } : step,
  );
  return runJob(steps, machine);
}

function git(folder: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.test', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
}
