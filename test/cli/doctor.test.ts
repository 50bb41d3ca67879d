import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { withoutProc } from '../support/without-proc.ts';
import { cli, clonedBin, startCli } from './cli.ts';

const mounts = await needs('mounts');

it('doctor examines this machine, for people and as JSON, and exits with 3 where it has a problem', async () => {
  const { code, out, err } = await cli('doctor', '--watch', '300ms');
  expect(code, err).toBe(/^problem /m.test(out) ? 3 : 0);
  for (const name of [
    'foreign cpu',
    'disk fsync',
    'memory',
    'clock source',
    'node',
    'stack',
    'postgres',
    'docker',
    'java',
  ]) {
    expect(out).toMatch(new RegExp(`^(ok|warning|problem) +${name} `, 'm'));
  }
  expect(out).toMatch(code === 3 ? /^Not fit: /m : /^Fit/m);
  const json = await cli('doctor', '--watch', '300ms', '--json');
  const { findings } = JSON.parse(json.out) as { findings: { state: string }[] };
  expect(json.code).toBe(findings.some(({ state }) => state === 'problem') ? 3 : 0);
});

it('doctor calls nothing ok of what a machine without /proc does not tell', mounts.orSkip, async () => {
  const { code, out, err } = await startCli(['doctor', '--watch', '100ms'], { through: withoutProc() }).done;
  expect(code, err).toBe(/^problem /m.test(out) ? 3 : 0);
  const unknown = [...out.matchAll(/^unknown +(\S+(?: \S+)*?) {2,}/gm)].map(([, name]) => name);
  expect(unknown).toEqual(
    expect.arrayContaining(['cpu steal', 'foreign cpu', 'memory pressure', 'io pressure', 'cpu limit', 'open files']),
  );
  expect(out).toMatch(code === 3 ? /^Not fit: /m : /^Fit as far as this machine tells/m);
});

it('doctor warns of variants that are twins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-doctor-'));
  const file = join(folder, 'twins.yaml');
  const load = 'load: { connections: 1, workload: get-schools }';
  writeFileSync(file, `target: { service: documents }\nvariants: { A: {}, B: {} }\ncontrol: A\n${load}\n`);
  const { err } = await cli('doctor', file, '--watch', '300ms');
  rmSync(folder, { recursive: true });
  expect(err).toContain('warning: The variants "A" and "B" are identical: what differs between them is noise. ');
});

it('so few files that may be open that nothing can be loaded are a finding, too', () => {
  const command = `ulimit -n 64; exec "${process.execPath}" "${clonedBin}" doctor --watch 100ms`;
  // Once as it is, and once where all has to be compiled, for which no compiler can be started.
  for (const more of [{}, { TSX_DISABLE_CACHE: '1' }]) {
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: { ...process.env, ...more } });
    const said = expect.stringMatching(/^problem {2}open files {2}/);
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: said });
    expect(stderr).not.toContain('EMFILE');
  }
});

it('so little address space that no compiler can be loaded is a finding, too', () => {
  // The first has no room for the compiler, the second for Node's HTTP client beside it, the third for that of a report's thread.
  for (const kib of [8_000_000, 30_000_000, 40_000_000]) {
    const command = `ulimit -v ${kib}; exec "${process.execPath}" "${clonedBin}" doctor --watch 100ms`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr:
        'problem  address space  a process may have so little (ulimit -v) that no WebAssembly can be loaded.\nRaise it in this shell: ulimit -v unlimited\n',
    });
  }
});
