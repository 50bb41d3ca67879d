import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { actionFolder } from '../../../scripts/github/action-run.ts';
import { readAction } from '../../../scripts/github/runner.ts';
import { needs } from '../../../support/needs.ts';

const go = await needs('go');
const shellcheck = await needs('shellcheck');

/** What actionlint finds in a workflow, in a repository that has the action where the example has it; empty for nothing. */
function actionlint(workflow: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-actionlint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, '.github/workflows'), { recursive: true });
  cpSync(actionFolder, join(folder, '.github/actions/pgsweep'), { recursive: true });
  const file = join(folder, '.github/workflows/pgsweep.yml');
  writeFileSync(file, workflow);
  // Its own tools are looked for on PATH and left out where they are not there.
  const args = ['run', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12', '-no-color', file];
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  return new Promise((settle, fail) => {
    execFile('go', args, { cwd: folder, env }, (error, stdout, stderr) => {
      // With `go run` its exit code 1 is 1, and so is that of a build that fails.
      if (error !== null && stdout === '') fail(new Error(stderr, { cause: error }));
      else settle(stdout);
    });
  });
}

const example = readFileSync(join(actionFolder, 'pull-request.yml'), 'utf8');

describe('actionlint', go.orSkip, () => {
  it('finds nothing in the example workflow', async () => {
    expect(await actionlint(example)).toBe('');
  });

  it('finds nothing in the workflow of several machines', async () => {
    expect(await actionlint(readFileSync(join(actionFolder, 'machines.yml'), 'utf8'))).toBe('');
  });

  it("finds nothing in the action's steps, as those of a job", async () => {
    const { inputs, runs } = readAction(actionFolder);
    const given = Object.fromEntries(Object.keys(inputs).map((name) => [name, { type: 'string', required: true }]));
    const jobs = { action: { 'runs-on': 'ubuntu-24.04', steps: runs.steps } };
    expect(await actionlint(stringify({ on: { workflow_call: { inputs: given } }, jobs }))).toBe('');
  });

  it('would find an input that the action has not, and a title that is run', async () => {
    expect(await actionlint(example.replace('gates:', 'gate:'))).toMatch(
      /input "gate" is not defined in action "pgsweep"/,
    );
    const title = '${{ github.event.pull_request.title }}';
    expect(await actionlint(example.replace('run: npm ci', `run: echo ${title}`))).toMatch(/potentially untrusted/);
  });
});

it('ShellCheck finds nothing in the scripts of the action', shellcheck.orSkip, async () => {
  const scripts = readdirSync(actionFolder).filter((name) => name.endsWith('.sh'));
  expect(scripts).toHaveLength(3);
  const { stdout } = await promisify(execFile)('shellcheck', scripts, { cwd: actionFolder });
  expect(stdout).toBe('');
});
