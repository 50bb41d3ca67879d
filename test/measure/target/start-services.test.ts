import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import type { ServiceSpec, ServicesTarget, Variant } from '../../../src/journal/scenario-record.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import type { StartedTarget } from '../../../src/measure/target/target.ts';

const DATABASE_URL = 'postgres://me@127.0.0.1:5433/arm';
let reaper: Reaper;
let folder: string;

beforeAll(() => {
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-services-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await reaper.close();
});

/** Adds its name to a file when it starts and when it ends. */
const tells = (name: string): string =>
  `echo "+${name}" >> ${folder}/order; trap 'echo "-${name}" >> ${folder}/order; exit' TERM`;

function service(changes: Partial<ServiceSpec>): ServiceSpec {
  return {
    command: 'node echo.mjs',
    cwd: join(import.meta.dirname, '../../fixtures/services'),
    env: {},
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 30_000,
    portVariable: 'PORT',
    databaseUrlVariable: 'DATABASE_URL',
    ...changes,
  };
}

const waits = 'while true; do sleep 0.05; done';
const api = service({ ready: '/health', env: { WHOSE: 'api' } });
const tellsAndWaits = (name: string): ServiceSpec => service({ command: `${tells(name)}; ${waits}` });

function start(
  services: ServicesTarget['services'],
  variant: Partial<Variant> = {},
  log = 'log',
): Promise<StartedTarget> {
  return startTarget({
    target: { kind: 'services', services, underLoad: 'api', ready: '/health', env: { WHOSE: 'all', OF_ALL: 'yes' } },
    variant: { name: 'new', factors: {}, env: {}, ...variant },
    databaseUrl: DATABASE_URL,
    search: null,
    reaper,
    logFile: join(folder, `${log}.log`),
  });
}

async function envOf({ url }: Pick<StartedTarget, 'url'>): Promise<Record<string, string>> {
  return ((await (await fetch(`${url}/env`)).json()) as { env: Record<string, string> }).env;
}

const pidsOf = ({ processes = [] }: StartedTarget): number[] => processes.map(({ pid }) => pid);
const runs = (pid: number): boolean => isRunning({ pid, group: false });

describe('several services', () => {
  it('know of each other, and of their database; each has its port, its environment and its log', async () => {
    const target = await start(
      { api, 'back-end': service({ ready: '/health' }), worker: tellsAndWaits('worker') },
      {},
      'addresses',
    );
    expect(target.processes?.map(({ name }) => name)).toEqual(['api', 'back-end', 'worker']);
    expect(target).toMatchObject({ pid: target.processes?.[0]?.pid, databasePort: 5433 });
    const own = await envOf(target);
    const other = await envOf({ url: own.BACK_END_URL ?? '' });
    expect(own).toMatchObject({ WHOSE: 'api', OF_ALL: 'yes', DATABASE_URL, API_URL: target.url });
    expect(other).toMatchObject({ WHOSE: 'all', API_PORT: own.PORT, PORT: own.BACK_END_PORT });
    expect(own.WORKER_PORT).toMatch(/^\d+$/);
    const logs = readdirSync(folder).filter((name) => name.startsWith('addresses'));
    expect(logs.sort()).toEqual(['addresses-api.log', 'addresses-back-end.log', 'addresses-worker.log']);
    expect(await target.stop()).toEqual({ killedAfterMs: null });
    expect(pidsOf(target).filter(runs)).toEqual([]);
  });

  it('are ended in the reverse order', async () => {
    const target = await start({ worker: tellsAndWaits('worker'), api, later: tellsAndWaits('later') }, {}, 'order');
    const order = (): string[] => readFileSync(join(folder, 'order'), 'utf8').trim().split('\n').slice(-4);
    await expect.poll(() => order().slice(-2), { timeout: 30_000 }).toEqual(['+worker', '+later']);
    await target.stop();
    expect(order()).toEqual(['+worker', '+later', '-later', '-worker']);
  });

  it('are what the variant says, each for itself', async () => {
    const change = {
      env: { WHOSE: 'variant', MORE: '1' },
      services: { api: { env: { WHOSE: 'api of the variant' } } },
    };
    const target = await start({ api, other: service({ ready: '/health' }) }, change);
    const own = await envOf(target);
    expect(own).toMatchObject({ WHOSE: 'api of the variant', MORE: '1' });
    expect(await envOf({ url: own.OTHER_URL ?? '' })).toMatchObject({ WHOSE: 'variant', MORE: '1' });
    await target.stop();
  });

  it('have ended when one of them has, and it is named with its last lines', async () => {
    const target = await start({ api, worker: service({ command: `echo "at work"; ${waits}` }) });
    const pid = target.processes?.find(({ name }) => name === 'worker')?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    expect(await target.exited).toBe('worker: SIGKILL');
    expect(target.tail()).toContain('at work');
    await target.stop();
    expect(pidsOf(target).filter(runs)).toEqual([]);
  });

  it('do not come up where one does not, and none is left', async () => {
    const broken = service({ command: 'echo "no module foo"; exit 3', ready: '/health' });
    await expect(start({ api, broken }, {}, 'broken')).rejects.toThrow(
      /^the service broken of "new" ended \(exit code 3\) before it was ready\. Its last lines:\nno module foo/,
    );
    const pid = Number(/listening (\d+)/.exec(readFileSync(join(folder, 'broken-api.log'), 'utf8'))?.[1]);
    expect(runs(pid)).toBe(false);
  });

  it('do not wait for one that cannot get ready since another has ended', async () => {
    const ends = service({ command: `while [ ! -e ${folder}/end ]; do sleep 0.05; done; exit 4` });
    const never = service({ command: `touch ${folder}/end; ${waits}`, ready: '/health' });
    await expect(start({ ends, never })).rejects.toThrow(
      /^the service ends of "new" ended \(exit code 4\) while the service never of "new" was started\./,
    );
  });
});
