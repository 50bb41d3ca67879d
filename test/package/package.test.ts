import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { installedPgsweep } from './package.ts';

const packageFolder = inject('packageFolder');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-user-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the installed package', () => {
  it('takes under 150 MB with all that it depends on', () => {
    const files = readdirSync(packageFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(bytes / 1e6).toBeLessThan(150);
  });

  it('holds what is run, and no sources that would be compiled at each start', () => {
    const files = readdirSync(packageFolder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.includes('node_modules'),
    );
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'docker/compose.yaml', 'dist/cli/main.js']),
    );
    expect(files.filter((file) => /(?<!\.d)\.m?ts$/.test(file))).toEqual([]);
    expect(files.filter((file) => /^(src|test|scripts|results)\b/.test(file))).toEqual([]);
  });

  it('is a command in any folder', async () => {
    expect(await installedPgsweep(folder, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    const command = join(packageFolder, '../../../bin/pgsweep');
    const { stdout } = await promisify(execFile)(command, ['--help'], { cwd: folder });
    expect(stdout).toContain('pgsweep COMMAND --help');
  });

  it('writes a scenario in an empty folder that can be planned as it is', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    expect(await installedPgsweep(cwd, 'init')).toMatch(/^wrote pgsweep\.yaml, for the sample service\n/);
    expect(await installedPgsweep(cwd, 'plan')).toMatch(/^Connection pool size .*\n/);
  });
});

describe('the types for a module of requests', () => {
  const compile = async (workload: string): Promise<string> => {
    const cwd = mkdtempSync(join(folder, 'types-'));
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(packageFolder, join(cwd, 'node_modules/pgsweep'));
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(cwd, 'workload.ts'), workload);
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    const args = [resolve('node_modules/typescript/bin/tsc'), ...options, 'workload.ts'];
    return promisify(execFile)(process.execPath, args, { cwd }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  const workload = (path: string): string =>
    `import type { ExampleDocument, WorkloadModule } from 'pgsweep';

const make: WorkloadModule = ({ random, unique, documents, token }) => {
  const idOf = ({ id }: ExampleDocument): string => id;
  return () => ({ method: 'PUT', path: ${path}, headers: { authorization: token ?? '' }, body: { id: unique() } });
};
export default make;
`;

  it('let a right one pass and a wrong one fail', async () => {
    expect(await compile(workload('`/items/${idOf(random.pick(documents))}`'))).toBe('');
    expect(await compile(workload('random'))).toContain("Type 'Random' is not assignable to type 'string'");
  });
});
