import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tryScript } from '../../../../src/measure/load/k6/try-script.ts';

const recorded = resolve('test/fixtures/k6/output.jsonl');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  vi.stubEnv('PATH', [folder, process.env.PATH].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A trial against a k6 that sends what was recorded, and writes this line. */
function trialWith(line: string, url = 'http://127.0.0.1:4878') {
  const k6 = `#!/bin/sh\ncat > /dev/null\ncat ${recorded}\necho '${line}' >&2\n`;
  writeFileSync(join(folder, 'k6'), k6, { mode: 0o755 });
  const workload = {
    kind: 'k6',
    script: join(folder, 'load.k6.js'),
    exec: 'default',
    env: {},
    urlVariable: 'BASE_URL',
    tokenVariable: 'T',
  } as const;
  const trial = { url, workloads: [null], seed: 1, tries: 1, limitMs: 4000 };
  return tryScript(workload, trial, new AbortController().signal);
}

describe('a trial of a script', () => {
  it("is not failed by an error on the script's console", async () => {
    const tried = await trialWith('{"level":"error","msg":"no item","source":"console"}');
    expect(tried.map(({ name, path }) => [name, path])).toEqual([
      ['GET /setup', '/setup'],
      ['list', 'list'],
      ['GET /gone/*', '/gone/1'],
    ]);
  });

  it('shows paths below the path of the service', async () => {
    const tried = await trialWith('', 'http://127.0.0.1:4878/gone');
    expect(tried.map(({ name, path }) => [name, path])).toContainEqual(['GET /*', '/1']);
  });

  it('is failed by an exception', async () => {
    await expect(trialWith('{"level":"error","msg":"TypeError: no","source":"stacktrace"}')).rejects.toMatchObject({
      code: 'scenario',
      message: expect.stringMatching(/k6 cannot run .*load\.k6\.js: TypeError: no/),
    });
  });
});
