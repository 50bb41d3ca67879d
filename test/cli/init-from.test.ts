import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-init-from-'));
afterAll(() => rmSync(folder, { recursive: true }));
const captures = 'docs/examples/captures';

describe('init --from', () => {
  it.each([
    ['capture.har', { kind: 'script', parts: [{ ways: [{}, {}] }] }],
    ['access.log', { kind: 'requests', requests: [{}, {}] }],
    ['openapi.yaml', { kind: 'requests', requests: [{}, {}] }],
  ])('%s writes a scenario that plan takes', async (name, workload) => {
    const file = join(folder, `${name}.yaml`);
    const { code, out } = await run('init', file, '--from', join(captures, name));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^wrote \S+: 2 requests( in place of [45])?\nNext: set command and dataset in it, look its requests through/,
    );
    for (const variable of ['AUTHORIZATION', 'COOKIE', 'API_TOKEN']) vi.stubEnv(variable, 'secret-value');
    expect(loadScenario(file).load.workload).toMatchObject(workload);
    vi.unstubAllEnvs();
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=/);
  });

  it('says what is not in the scenario, and which variables it needs', async () => {
    const file = join(folder, 'told.yaml');
    const { out, err } = await run('init', file, '--from', join(captures, 'capture.har'));
    expect(out).toContain(', set AUTHORIZATION, COOKIE in the environment, then\n');
    expect(err).toBe(
      [
        'not in the scenario:',
        '  POST /upload (entry 5): its body is multipart/form-data, which a scenario cannot send',
        '  requests to cdn.example.com: another host; --host cdn.example.com takes those',
        '',
      ].join('\n'),
    );
    const { err: refused } = await run('plan', file);
    expect(refused).toMatch(
      /told\.yaml:\d+:\d+: load\.script\.0\.choose\.0\.headers\.authorization: \$\{env AUTHORIZATION\}: the variable is not set/,
    );
  });

  it('has k6 run a script of k6, found from the folder of the scenario', async () => {
    const file = join(folder, 'with-k6.yaml');
    const script = join(captures, 'requests.k6.js');
    const { code, out } = await run('init', file, '--from', script);
    expect(code).toBe(0);
    expect(out).toMatch(/^wrote \S+: load: \{ k6: \S+requests\.k6\.js \}\nNext: .*__ENV\.BASE_URL/);
    expect(loadScenario(file).load).toMatchObject({
      workload: { kind: 'k6', script: resolve(script) },
      levels: [{ users: 5 }, { users: 25 }],
    });
    const other = join(folder, 'no-k6.yaml');
    expect(await run('init', other, '--from', 'scripts/build.mjs')).toMatchObject({
      code: 2,
      err: expect.stringContaining('scripts/build.mjs is no k6 script: it imports nothing from k6'),
    });
    expect(() => readFileSync(other)).toThrow('ENOENT');
  });

  it('says what is wrong with a place where it cannot write', async () => {
    const below = join(folder, 'capture.har.yaml', 'below.yaml');
    await run('init', join(folder, 'capture.har.yaml'), '--force');
    const { code, err } = await run('init', below);
    expect([code, err]).toEqual([2, expect.stringContaining('could not be written: a part of its path is a file')]);
  });

  it('overwrites nothing, and writes nothing where the source is none', async () => {
    const file = join(folder, 'kept.yaml');
    await run('init', file, '--from', join(captures, 'access.log'));
    expect(await run('init', file, '--from', join(captures, 'access.log'))).toMatchObject({ code: 2, out: '' });
    const other = join(folder, 'none.yaml');
    expect(await run('init', other, '--from', 'package.json')).toMatchObject({ code: 2, out: '' });
    expect(() => readFileSync(other)).toThrow('ENOENT');
    expect((await run('init', other, '--host', 'a')).err).toContain('--host belongs to --from');
    expect((await run('init', other, '--no-session')).err).toContain('--session belongs to --from');
    expect(await run('init', other, '--session', '--from', join(captures, 'access.log'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('--session: the source has no answers'),
    });
  });
});
