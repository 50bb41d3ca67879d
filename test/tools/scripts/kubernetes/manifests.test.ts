import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { userCache } from '../../../../src/base/user-cache.mjs';

const run = promisify(execFile);
const folder = resolve('scripts/kubernetes');
/** It holds the schemas that the API publishes, and refuses keys that they do not know. */
const VALIDATOR = 'kubernetes-validate==1.34.1';

/** The folder of the validator, from the registry once; null where it cannot be had. */
async function validator(): Promise<string | null> {
  const cache = userCache(process.env, 'python');
  const there = join(cache, VALIDATOR);
  if (existsSync(there)) return there;
  try {
    mkdirSync(cache, { recursive: true });
    const unfinished = mkdtempSync(`${there}.`);
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', unfinished, VALIDATOR], { timeout: 240_000 });
    renameSync(unfinished, there);
    return there;
  } catch {
    return existsSync(there) ? there : null;
  }
}

const packages = await validator();

async function mistakesIn(file: string): Promise<string> {
  const env = { ...process.env, PYTHONPATH: packages ?? '' };
  return run('python3', ['-m', 'kubernetes_validate', '--strict', file], { env }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}` || 'mistakes',
  );
}

const manifest = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('the manifests', () => {
  describe('by the published schema', { skip: packages === null }, () => {
    it.each(['job.yaml', 'merge.yaml'])('%s is valid', async (name) => {
      expect(await mistakesIn(join(folder, name))).toBe('');
    });

    it('would not be with a key that the API does not know', async () => {
      const own = mkdtempSync(join(tmpdir(), 'pgsweep-manifest-'));
      onTestFinished(() => rmSync(own, { recursive: true }));
      const file = join(own, 'job.yaml');
      writeFileSync(file, manifest('job.yaml').replace('completionMode:', 'completionsMode:'));
      expect(await mistakesIn(file)).toContain('completionsMode');
    });
  });

  it('name the number of shares alike in all places', () => {
    const [, job] = parseAllDocuments(manifest('job.yaml')).map((document) => document.toJS());
    const { completions, parallelism, template } = job.spec;
    const variables = Object.fromEntries(
      template.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    expect([parallelism, Number(variables.JOB_COMPLETIONS)]).toEqual([completions, completions]);
    expect(Number(variables.ROUNDS) % completions).toBe(0);
  });
});
