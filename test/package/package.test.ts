import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
    const entries = readdirSync(packageFolder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)));
    // A file may have two names: esbuild's program has.
    const sizes = new Map(files.map(({ ino, size }) => [ino, size]));
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0) / 1e6).toBeLessThan(150);
  });

  it('holds what is run, and no sources that would be compiled at each start', () => {
    const all = readdirSync(packageFolder, { recursive: true, encoding: 'utf8' });
    const files = all.filter((file) => !file.startsWith('node_modules'));
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'docker/compose.yaml', 'dist/cli/main.js']),
    );
    expect(files).toContain('scripts/github/action.yml');
    // The action installs by it.
    const lock = readFileSync(join(packageFolder, 'dist/lock.json'), 'utf8');
    expect(lock).toBe(readFileSync('package-lock.json', 'utf8'));
    expect(files).toEqual(expect.arrayContaining(['scripts/kubernetes/job.yaml', 'scripts/slurm/shards.sh']));
    expect(files.filter((file) => /(?<!\.d)\.m?ts$/.test(file))).toEqual([]);
    expect(files.filter((file) => /^(src|test|scripts\/(?!github|kubernetes|slurm)|results)\b/.test(file))).toEqual([]);
  });

  it('is made by the one script that npm runs for a commit of the repository, too', () => {
    // `npm install git+file:///…#COMMIT` takes a minute: it installs all that the build needs.
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(scripts).toMatchObject({ prepare: 'npm run build' });
    expect(scripts).not.toHaveProperty('prepack');
  });

  it('is a command in any folder', async () => {
    expect((await installedPgsweep(folder, '--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const linked = join(packageFolder, '../../../bin/pgsweep');
    expect(spawnSync(linked, ['--help'], { cwd: folder, encoding: 'utf8' }).stdout).toMatch(/^ {2}sweep .*\n/m);
  });

  it('says that a process may have too little address space, instead of an error of Node.js', () => {
    const command = `ulimit -v 4000000; exec "$0" "${join(packageFolder, 'dist/cli/bin.mjs')}" doctor --watch 100ms`;
    const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath], { cwd: folder, encoding: 'utf8' });
    const said = expect.stringMatching(
      /^problem {2}address space {2}.*\nRaise it in this shell: ulimit -v unlimited\n$/m,
    );
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: said });
    expect(stderr).not.toContain('RangeError');
  });

  it('writes a scenario in an empty folder that is planned as it is', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    expect((await installedPgsweep(cwd, 'init')).out).toMatch(/^wrote pgsweep\.yaml, for the sample service\n/);
    expect((await installedPgsweep(cwd, 'plan')).out).toMatch(/^Connection pool size .*\n/);
  });
});

it('its types let a right module of requests pass, and no wrong one', () => {
  const workload = (path: string): string => `import type { ExampleDocument, WorkloadModule } from 'pgsweep';

const make: WorkloadModule = ({ random, unique, documents, token }) => {
  const idOf = ({ id }: ExampleDocument): string => id;
  return () => ({ method: 'PUT', path: ${path}, headers: { authorization: token ?? '' }, body: { id: unique() } });
};
export default make;
`;
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(packageFolder, join(folder, 'node_modules/pgsweep'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'right.ts'), workload('`/items/${idOf(random.pick(documents))}`'));
  writeFileSync(join(folder, 'wrong.ts'), workload('random'));
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  const args = [resolve('node_modules/typescript/bin/tsc'), ...options, 'right.ts', 'wrong.ts'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stdout).toMatch(
    /^wrong\.ts\(3,7\): error TS2322: .*\n( .*\n)* +Type 'Random' is not assignable to type 'string'\.\n$/,
  );
});
