import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answersOutlastSlice } from '../../../../src/journal/long-answers.ts';
import { openK6Stream } from '../../../../src/measure/load/k6/k6-stream.ts';
import type { LoadJob } from '../../../../src/measure/load/load-generator.ts';

/** Of k6 1.8.1, without iterations: 1 s with a setup(), a threshold that is crossed and a metric of the script's own. */
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

const rate = { load: { rate: 12 }, openLoop: { arrivals: 'constant', inFlight: 2 } } as const;

function streamOf(k6: string, load: Pick<LoadJob, 'load' | 'openLoop'> = rate) {
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
  const job = { url: 'http://127.0.0.1:4878', ...load, seed: 1, timeoutMs: 5000 };
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

describe('users', () => {
  const USERS = 2;
  /** When k6 interrupts what is under way. */
  const MOST_MS = 6500;
  const startMs = Date.parse('2026-11-22T16:17:06.000Z');

  /** All begin at once; each iteration sends eight requests at its beginning, and pauses. */
  function iterationsOf(lengthsMs: readonly number[]): string {
    const point = (metric: string, atMs: number, value: number, metadata: object): string => {
      const tags = { name: 'list', method: 'GET', status: '200', expected_response: 'true', scenario: 'pgsweep' };
      const time = new Date(startMs + atMs).toISOString();
      return JSON.stringify({ metric, type: 'Point', data: { time, value, tags, metadata } });
    };
    const lines = [point('pgsweep_started', 0, startMs, {})];
    for (const [user, iterationMs] of lengthsMs.entries())
      for (let [iter, fromMs, vu] = [0, 0, user + 1]; fromMs < 5000; iter++, fromMs += iterationMs) {
        const of = { vu: String(vu), iter: String(iter) };
        const endMs = Math.min(fromMs + iterationMs, MOST_MS);
        for (let request = 1; request <= 8; request++)
          lines.push(point('http_req_duration', fromMs + 20 * request, 20, of));
        lines.push(point('data_received', endMs, 800, of));
        // k6 tells no time of an iteration that it interrupts.
        if (endMs === MOST_MS) continue;
        lines.push(point('iteration_duration', endMs, iterationMs, of), point('iterations', endMs, 1, of));
      }
    return lines.join('\n');
  }

  async function loaded(...lengthsMs: readonly number[]) {
    const file = join(folder, 'lines.jsonl');
    const all = lengthsMs.length === 1 ? Array(USERS).fill(lengthsMs[0]) : lengthsMs;
    writeFileSync(file, iterationsOf(all));
    const stream = streamOf(`cat ${file}`, { load: { users: all.length, of: 'vus' } });
    const turn = await stream.turn({ durationMs: 5000, fromMs: 500, toMs: 5000 });
    return { turn, result: await stream.close() };
  }

  it.each([1700, 1520, 3100])(
    'have the rate of whole iterations, however many bursts the window cuts: %d ms',
    async (ms) => {
      const { turn, result } = await loaded(ms);
      expect((1000 * USERS * turn.ok) / (turn.busyMs ?? 0)).toBeCloseTo((1000 * USERS * 8) / ms, 6);
      expect(turn.okWithin).toBeUndefined();
      expect(result.bytes / turn.ok).toBe(100);
      expect(result.probe?.values.k6_iterations_per_s).toBeCloseTo((1000 * USERS) / ms, 6);
      expect(result.probe?.values.k6_iteration_mean_ms).toBeCloseTo(ms, -1);
    },
  );

  it('whose iterations outlast the slice have no rate', async () => {
    const { result } = await loaded(6000);
    expect(result.whole.statuses).toEqual({ 200: 16 });
    expect(answersOutlastSlice({ ...result, load: { users: USERS, of: 'vus' } })).toBe(true);
    expect(result.probe?.values).not.toHaveProperty('k6_iterations_per_s');
  });

  /** A slice of users of which so many stayed in one iteration. */
  async function sliceOf(long: number, users: number) {
    const { turn, result } = await loaded(...Array.from({ length: users }, (_, user) => (user < long ? 6000 : 500)));
    const turns = { turnMs: 5000, ok: [turn.ok], okByTime: [turn.okByTime], gapMaxMs: 0 };
    const outlasted = turn.outlasted === undefined ? {} : { outlasted: [turn.outlasted] };
    return { turn, slice: { ...result, load: { users, of: 'vus' as const }, turns: { ...turns, ...outlasted } } };
  }

  it('have no rate where many stayed in one iteration: those of the others do not stand for theirs', async () => {
    const { turn, slice } = await sliceOf(2, 4);
    // Truly 2 x 16/s + 2 x 1.33/s = 34.7/s.
    expect((1000 * 4 * turn.ok) / (turn.busyMs ?? 0)).toBeCloseTo(64, 6);
    expect(turn.outlasted).toBe(2);
    expect(answersOutlastSlice(slice)).toBe(true);
  });

  it('have their rate where few did, as by chance, and in old journals', async () => {
    const { slice } = await sliceOf(1, 20);
    expect(slice.turns).toMatchObject({ outlasted: [1] });
    expect(answersOutlastSlice(slice)).toBe(false);
    const { slice: all, turn } = await sliceOf(0, 4);
    expect(turn).not.toHaveProperty('outlasted');
    expect(answersOutlastSlice(all)).toBe(false);
  });

  it('have as long as a slice to end what they began in it', async () => {
    const stream = streamOf(`echo`, { load: { users: USERS, of: 'vus' } });
    const graceOf = async (durationMs: number): Promise<string | undefined> => {
      await stream.turn({ durationMs, fromMs: 500, toMs: durationMs }).catch(() => {});
      return /"gracefulStop":"(\w+)"/.exec(readFileSync(join(folder, 'module.js'), 'utf8'))?.[1];
    };
    // Of load.timeout: 5 s.
    expect([await graceOf(3000), await graceOf(15_000)]).toEqual(['5000ms', '15000ms']);
  });

  it('have the time of an iteration that k6 interrupts', async () => {
    const { turn, result } = await loaded(4000);
    expect(turn).toMatchObject({ ok: 8 * USERS, busyMs: USERS * 2500 });
    expect(result.probe?.values.k6_iterations_per_s).toBe(0);
  });
});
