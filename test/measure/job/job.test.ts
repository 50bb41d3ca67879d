import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { openBesideStream } from '../../../src/measure/job/beside-stream.ts';
import { type JobToRun, openJobStream } from '../../../src/measure/job/job-stream.ts';
import { type JobPlace, runJob } from '../../../src/measure/job/run-job.ts';
import { cpuMsOfTimes, withTimes } from '../../../src/measure/job/shell-times.ts';
import type { LoadResult, LoadStream, TurnResult } from '../../../src/measure/load/load-generator.ts';
import { judgeSlice } from '../../../src/measure/run/validity/validity.ts';
import { testScenario } from '../../fixtures/scenario.ts';

let reaper: Reaper;
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-job-'));
beforeAll(() => {
  mkdirSync(join(folder, 'logs'));
  reaper = startReaper();
});
afterAll(async () => {
  await reaper.close();
  rmSync(folder, { recursive: true });
});

const place = (changes: Partial<JobPlace> = {}): JobPlace => ({
  name: 'a',
  databaseUrl: 'postgres://me:secret@db.test:5433/pgsweep_r1_a0',
  adminUrl: 'postgres://db.test/x',
  env: { MODE: 'quick' },
  limitMs: 60_000,
  reaper,
  logFile: join(folder, 'logs', 'jobs.log'),
  signal: new AbortController().signal,
  ...changes,
});
const command = (text: string, changes?: Partial<JobPlace>) =>
  runJob({ kind: 'command', command: text, cwd: folder }, place(changes));

/** Shell text: a process that lives on, and ends only where a file is made. It then makes another file. The shell ends once SIGTERM cannot end it. */
const leftBehind = (go: string): string =>
  `(trap '' TERM; touch '${go}.ready'; while [ ! -e '${go}' ]; do sleep 0.05; done; touch '${go}.done') &
while [ ! -e '${go}.ready' ]; do sleep 0.01; done;`;

describe('a command', () => {
  it('gets the database as services do, and the environment of its variant', async () => {
    const file = join(folder, 'env');
    const run = await command(`echo "$DATABASE_URL $PGHOST $PGPORT $PGDATABASE $MODE" > '${file}'`);
    expect(run).toMatchObject({ code: 0, failure: null, timedOut: false });
    const check = await command(
      `grep -qx 'postgres://me:secret@db.test:5433/pgsweep_r1_a0 db.test 5433 pgsweep_r1_a0 quick' '${file}'`,
    );
    expect(check.failure).toBeNull();
  });

  it('that ends with another exit code than 0 has failed, with its last lines', async () => {
    const run = await command('echo 412 rows; echo no such table >&2; exit 3');
    expect(run).toMatchObject({ code: 3, timedOut: false });
    expect(run.failure).toMatch(
      /^the job of "a" \(.*\) ended with exit code 3\. Its last lines:\n[\s\S]*no such table$/,
    );
  });

  it('that fails without a word has none of the output of a run before it', async () => {
    await command('echo the output of another arm');
    expect((await command('exit 3')).failure).toBe(
      'the job of "a" (exit 3) ended with exit code 3. It printed nothing.',
    );
    expect((await command('echo mine; exit 3')).failure).toMatch(/Its last lines:\nmine$/);
  });

  it('is ended at its time limit, with what it has started', async () => {
    const file = join(folder, 'after');
    const run = await command(`(sleep 30; touch '${file}') & wait`, { limitMs: 100 });
    expect(run).toMatchObject({ timedOut: true });
    expect(run.failure).toBe('the job of "a" did not end within 100 ms: load.job.timeout gives it more time');
    expect(existsSync(file)).toBe(false);
  });

  it('that ended in time is not late, and its time has none of what it left behind', async () => {
    const go = join(folder, 'go');
    const run = await command(`${leftBehind(go)} exit 0`, { limitMs: 3000, onEnd: () => writeFileSync(go, '') });
    expect(run).toMatchObject({ code: 0, failure: null, timedOut: false });
    // What is left behind and does not end by itself is killed after 5 s.
    expect(run.wallMs).toBeLessThan(3000);
  });

  it('is ended where the run is interrupted', async () => {
    const abort = new AbortController();
    const running = command('sleep 600', { signal: abort.signal });
    abort.abort(new Error('Ctrl-C'));
    await expect(running).rejects.toThrow('Ctrl-C');
  });

  it('has the CPU time of all that it waited for', async () => {
    const busy = `node -e "const end = process.cpuUsage().user + 2e5; while (process.cpuUsage().user < end);"`;
    const { cpuMs } = await command(`${busy} && ${busy}`);
    expect(cpuMs).toBeGreaterThanOrEqual(390);
  });
});

describe('CPU times of a shell', () => {
  it('are those of its children, and unknown without the file', () => {
    const file = join(folder, 'times');
    writeFileSync(file, '0m9.000000s 0m9.000000s\n1m0.250000s 0m0.500000s\n');
    expect(cpuMsOfTimes(file)).toBe(60_750);
    expect(cpuMsOfTimes(file)).toBeNull();
    // In a locale with a decimal comma.
    writeFileSync(file, '0m9,000000s 0m9,000000s\n1m0,250000s 0m0,500000s\n');
    expect(cpuMsOfTimes(file)).toBe(60_750);
  });

  it.skipIf(process.platform === 'win32')('a folder may have a quote in its name', () => {
    expect(withTimes('true', "/a'b/t")).toContain(`times > '/a'\\''b/t'`);
  });
});

const failures: string[] = [];
const toRun = (text: string, changes: Partial<JobToRun> = {}): JobToRun => ({
  ...place(),
  source: { kind: 'command', command: text, cwd: folder },
  check: undefined,
  runs: 1,
  endsRun: false,
  onProgress: () => {},
  onFailure: (failure) => void failures.push(failure),
  ...changes,
});

describe('a job as load', () => {
  const stream = (text: string, changes: Partial<JobToRun> = {}) => openJobStream(toRun(text, changes), () => 'warm');
  const turn = { durationMs: 60_000, fromMs: 0, toMs: 60_000 };

  it('is as many requests as runs, and its time their mean', async () => {
    const job = stream('true', { runs: 3 });
    const { wallMs, wholeOk } = await job.turn(turn);
    expect(wholeOk).toBe(3);
    const { bounded, outcomes, ok, job: record, loadMs } = await job.close();
    expect(loadMs).toBeCloseTo(wallMs);
    expect(bounded).toEqual({ wanted: 3, durationMs: loadMs / 3 });
    expect({ outcomes, ok }).toEqual({ outcomes: { statuses: { 0: 3 }, errors: 0, timeouts: 0 }, ok: 3 });
    expect(record).toMatchObject({ runs: 3, buffers: 'warm' });
  });

  it('has no load generator that could be busy, however short it is; what pgsweep uses for it counts', async () => {
    const job = stream('true');
    await job.turn(turn);
    const { connectionsOpened: opened, reopened, closingAnswers = 0, ...result } = await job.close();
    expect(result.generator).toEqual({ eventLoopUtilisation: 0, cpuMs: expect.any(Number) });
    expect(result.generator.cpuMs).toBeGreaterThan(0);
    const slice = {
      ...result,
      load: { of: 'job', connections: 1 },
      connections: { opened, reopened, closingAnswers },
    } as const;
    expect(judgeSlice({ slice, load: testScenario().load, overNetwork: false })).toEqual([]);
  });

  it('says how long pgsweep was stopped meanwhile, since its time holds that', async () => {
    let nowMs = 0;
    const clock = { nowMs: () => (nowMs += 5100), accountedMs: () => 0 };
    const job = openJobStream(toRun('true'), () => 'warm', clock);
    expect((await job.turn(turn)).pausedMs).toBeGreaterThanOrEqual(5000);
    expect((await job.close()).generator.pausedMs).toBeGreaterThanOrEqual(5000);
  });

  it('that fails is not run again, has no time, and is said', async () => {
    const job = stream('exit 4', { runs: 3 });
    await job.turn(turn);
    const { bounded, outcomes, ok } = await job.close();
    expect(bounded).toEqual({ wanted: 3, durationMs: null });
    expect({ outcomes, ok }).toEqual({ outcomes: { statuses: { 4: 1 }, errors: 0, timeouts: 0 }, ok: 0 });
    expect(failures.at(-1)).toContain('ended with exit code 4');
  });

  it('that fails in the first round ends the run', async () => {
    await expect(stream('echo gone; exit 4', { endsRun: true }).turn(turn)).rejects.toMatchObject({
      code: 'target',
      message: expect.stringContaining('ended with exit code 4. Its last lines:'),
    });
  });
});

describe('a job beside load', () => {
  const times: number[] = [];
  const ended: TurnResult = { wallMs: 1, ok: 1, okByTime: 1, latencyUs: 1, whole: noOutcomes(), wholeOk: 1 };
  /** Load that is steady when `steady` is called, and ends when it is told to. */
  const load = (steady: (tell: () => void) => void) => {
    let isOn = false;
    const requests: LoadStream = {
      turn: (_, { ends, onSteady = () => {} } = {}) =>
        new Promise((resolve) => {
          isOn = true;
          ends?.addEventListener('abort', () => {
            isOn = false;
            resolve(ended);
          });
          steady(onSteady);
        }),
      close: async () => ({ startedAt: '', loadMs: 1 }) as LoadResult,
    };
    return { requests, isOn: () => isOn };
  };
  const beside = (text: string, requests: LoadStream, changes: Partial<JobToRun> = {}) =>
    openBesideStream(
      toRun(text, changes),
      { requests, leadMs: 1, withoutMs: 1, timeoutMs: 1000, onTime: (ms) => void times.push(ms) },
      () => 'warm',
    );
  const turn = { durationMs: 60_000, fromMs: 0, toMs: 60_000 };

  it('starts when the load is steady, and the turn ends with it', async () => {
    const file = join(folder, 'started');
    let tell = (): void => {};
    const { requests, isOn } = load((found) => {
      tell = found;
    });
    const job = beside(`touch '${file}'`, requests);
    const turning = job.turn(turn);
    await expect.poll(isOn).toBe(true);
    expect(existsSync(file)).toBe(false);
    tell();
    expect(await turning).toBe(ended);
    expect([existsSync(file), isOn()]).toEqual([true, false]);
    const { bounded, job: record } = await job.close();
    expect(bounded).toEqual({ wanted: 1, durationMs: times.at(-1) });
    expect(record).toEqual({ runs: 1, buffers: 'warm' });
  });

  it('ends the load when it ends itself, not when all that it left behind has ended', async () => {
    const go = join(folder, 'go-beside');
    const { requests } = load((tell) => tell());
    const watched: LoadStream = {
      ...requests,
      turn(turn, options) {
        options?.ends?.addEventListener('abort', () => writeFileSync(go, ''));
        return requests.turn(turn, options);
      },
    };
    await beside(leftBehind(go), watched).turn(turn);
    expect(existsSync(`${go}.done`)).toBe(true);
  });

  it('that fails has no time, and ends the run in the first round', async () => {
    const known = times.length;
    const { requests } = load((tell) => tell());
    const job = beside('exit 4', requests);
    await job.turn(turn);
    expect((await job.close()).bounded).toEqual({ wanted: 1, durationMs: null });
    expect([failures.at(-1), times.length]).toEqual([expect.stringContaining('ended with exit code 4'), known]);
    await expect(beside('exit 4', requests, { endsRun: true }).turn(turn)).rejects.toMatchObject({ code: 'target' });
  });

  it('ends where its load cannot be made', async () => {
    const requests: LoadStream = { ...load(() => {}).requests, turn: () => Promise.reject(new Error('no service')) };
    await expect(beside('sleep 600', requests).turn(turn)).rejects.toThrow('no service');
    const lost: LoadStream = {
      ...requests,
      async turn(_, { onSteady } = {}) {
        onSteady?.();
        await new Promise((resolve) => setTimeout(resolve, 50));
        throw new Error('the service ended');
      },
    };
    await expect(beside('sleep 600', lost).turn(turn)).rejects.toThrow('the service ended');
  });
});

function noOutcomes(): TurnResult['whole'] {
  return { statuses: {}, errors: 0, timeouts: 0 };
}
