import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openK6Stream } from '../../../../src/measure/load/k6/k6-stream.ts';

/** Of k6 1.8.1: two users for 1 s, with a setup(), a threshold that is crossed and a metric of the script's own. */
const recorded = resolve('test/fixtures/k6/output.jsonl');
const crossed = `{"level":"error","msg":"thresholds on metrics 'http_req_failed' have been crossed"}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  vi.stubEnv('PATH', [folder, process.env.PATH].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function streamOf(k6: string) {
  writeFileSync(join(folder, 'k6'), `#!/bin/sh\ncat > ${join(folder, 'module.js')}\n${k6}\n`, { mode: 0o755 });
  const script = join(folder, 'load.k6.js');
  const workload = {
    kind: 'k6',
    script,
    exec: 'default',
    env: {},
    urlVariable: 'BASE_URL',
    tokenVariable: 'T',
  } as const;
  const job = { url: 'http://127.0.0.1:4878', load: { users: 2 }, seed: 1, timeoutMs: 5000 };
  return openK6Stream(job, { workload, thresholds: ['http_req_failed'] });
}

const turn = { durationMs: 1000, fromMs: 100, toMs: 1000 };

it('counts what k6 tells, in the part of the turn that counts', async () => {
  const stream = streamOf(`cat ${recorded}\necho "${crossed.replaceAll('"', '\\"')}" >&2\nexit 99`);
  expect(await stream.turn(turn)).toEqual({
    wallMs: 1199,
    startupMs: 0,
    ok: 6,
    okByTime: 4.56,
    okWithin: 6,
    latencyUs: expect.closeTo(113_733.53, 1),
    // With what was sent in setup(), and after the turn.
    whole: { statuses: { '200': 9, '404': 8 }, errors: 0, timeouts: 0 },
    wholeOk: 9,
    failure: { status: 404, text: 'GET /gone/*' },
  });
  const result = await stream.close();
  expect(result).toMatchObject({
    startedAt: '2026-11-22T16:17:06.196Z',
    loadMs: 1199,
    windowMs: 900,
    outcomes: { statuses: { '200': 6, '404': 6 }, errors: 0, timeouts: 0 },
    ok: 6,
    bytes: 6 * 255,
    connectionsOpened: 3,
    reopened: 0,
    latency: { count: 6, p50Us: expect.closeTo(104_383, -3), maxUs: expect.closeTo(116_990, -3) },
    probe: {
      probe: 'k6',
      values: {
        k6_iterations_per_s: expect.closeTo(6 / 0.9, 6),
        k6_checks_failed_percent: 0,
        'k6_check_failed_percent{is 200}': 0,
        'k6_threshold_crossed{http_req_failed}': 1,
        k6_exceptions: 0,
        k6_queue_mean_ms: 6.5,
      },
    },
  });
  expect(Object.keys(result.byRequest)).toEqual(['list', 'GET /gone/*']);
});

it("has no exception for a line of the script's console", async () => {
  const lines = [
    '{"level":"error","msg":"no item","source":"console"}',
    '{"level":"error","msg":"TypeError: no","source":"stacktrace"}',
  ];
  const stream = streamOf(`cat ${recorded}\n${lines.map((line) => `echo '${line}' >&2`).join('\n')}`);
  await stream.turn(turn);
  expect((await stream.close()).probe?.values.k6_exceptions).toBe(1);
});

it.each([
  [
    'echo \'{"level":"error","msg":"TypeError: no"}\' >&2; exit 107',
    'scenario',
    /k6 cannot run .*load\.k6\.js: TypeError: no/,
  ],
  ['echo boom >&2; exit 2', 'load', /k6 ended with exit code 2 .* Its last message: boom/],
  ['exit 0', 'load', /k6 ended with exit code 0 before its load was over/],
])('of a k6 that does not come to its end says why: %s', async (k6, code, message) => {
  await expect(streamOf(k6).turn(turn)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});
