import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { k6Version, runModule } from '../../../../src/measure/load/k6/k6-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A k6 of the test's own. */
function plant(script: string): void {
  writeFileSync(join(folder, 'k6'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe('the k6 on PATH', () => {
  it('that is not there is named, with what to do', async () => {
    await expect(k6Version()).rejects.toMatchObject({
      code: 'load',
      message: 'there is no program k6 on PATH',
      hint: expect.stringContaining('Install k6'),
    });
  });

  it('tells its version', async () => {
    plant("echo 'k6 v1.8.1 (go1.26.8, linux/amd64)'");
    expect(await k6Version()).toBe('1.8.1');
  });

  it('may be too old, or something else', async () => {
    plant("echo 'k6 v0.52.0 (commit/20f8febb5b, go1.22.4, linux/amd64)'");
    await expect(k6Version()).rejects.toMatchObject({ message: 'k6 is v0.52.0, and must be v1 or newer' });
    plant('echo nothing like it; exit 3');
    await expect(k6Version()).rejects.toMatchObject({ message: 'k6 version says: nothing like it' });
  });

  it('hears none of its own variables, and not its cloud', async () => {
    vi.stubEnv('K6_VUS', '50');
    vi.stubEnv('K6_CLOUD_TOKEN', 'abc');
    vi.stubEnv('OTHER', 'kept');
    plant('while read -r line; do echo "in $line"; done; export -p');
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    const k6 = await runModule('a\nb', { variables: { BASE_URL: 'http://127.0.0.1' }, thresholds: [], onLine });
    expect(await k6.ended).toMatchObject({ code: 0 });
    const text = lines.join('\n');
    expect(lines.slice(0, 1)).toEqual(['in a']);
    expect(text).toMatch(/OTHER=.kept/);
    expect(text).toMatch(/BASE_URL=.http:\/\/127\.0\.0\.1/);
    expect(text).toMatch(/K6_NO_USAGE_REPORT=.true/);
    expect(text).not.toMatch(/K6_VUS|K6_CLOUD_TOKEN/);
  });
});
