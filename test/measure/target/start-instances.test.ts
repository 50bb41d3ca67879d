import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import type { CommandTarget } from '../../../src/journal/scenario-record.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import type { StartedTarget } from '../../../src/measure/target/target.ts';

let reaper: Reaper;
let folder: string;
let logs = 0;

beforeAll(() => {
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-instances-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await reaper.close();
});

function start(changes: Partial<CommandTarget>, instances: number): Promise<StartedTarget> {
  return startTarget({
    target: {
      kind: 'command',
      command: 'node echo.mjs',
      cwd: join(import.meta.dirname, '../../fixtures/services'),
      env: {},
      ready: '/health',
      readyTimeoutMs: 60_000,
      stopTimeoutMs: 30_000,
      portVariable: 'PORT',
      databaseUrlVariable: 'DATABASE_URL',
      ...changes,
    },
    variant: { name: 'pool=10', factors: {}, env: {}, instances },
    databaseUrl: 'postgres://me@db.test/arm',
    search: null,
    reaper,
    logFile: join(folder, `arm-${logs++}.log`),
  });
}

interface Told {
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
}

const ask = async (url: string): Promise<Told> => (await (await fetch(`${url}/env`)).json()) as Told;
const runs = (pid: number): boolean => isRunning({ pid, group: false });

describe('several instances of a service', () => {
  it('have a port and a number each, the same database, and a log of their own; all are ended', async () => {
    const target = await start({}, 3);
    const told = await Promise.all((target.urls ?? []).map(ask));
    expect(told.map(({ env }) => [env.PGSWEEP_INSTANCE, env.PGSWEEP_INSTANCES, env.DATABASE_URL])).toEqual(
      ['0', '1', '2'].map((number) => [number, '3', 'postgres://me@db.test/arm']),
    );
    expect(told.map(({ env }) => env.PORT)).toEqual(target.urls?.map((url) => new URL(url).port));
    expect(target.urls?.[0]).toBe(target.url);
    expect(target.processes?.map(({ name }) => name)).toEqual(['0', '1', '2']);
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(3);
    await expect.poll(() => target.tail().filter((line) => line.startsWith('[2] listening'))).toHaveLength(1);
    expect(await target.stop()).toEqual({ killedAfterMs: null });
    expect(told.map(({ pid }) => runs(pid))).toEqual([false, false, false]);
    const own = readdirSync(folder).filter((file) => file.startsWith(`arm-${logs - 1}.`));
    expect(own.sort()).toEqual([0, 1, 2].map((number) => `arm-${logs - 1}.instance-${number}.log`));
  });

  it('are one, which is told so, where that is asked for', async () => {
    const target = await start({}, 1);
    expect(target.urls).toBeUndefined();
    expect((await ask(target.url)).env).toMatchObject({ PGSWEEP_INSTANCE: '0', PGSWEEP_INSTANCES: '1' });
    await target.stop();
  });

  it('have ended when one of them has, which is named', async () => {
    const target = await start({}, 2);
    const others = await ask(target.url);
    await fetch(`${target.urls?.[1]}/die`).catch(() => {});
    expect(await target.exited).toBe('instance 1: exit code 7');
    expect(target.tail().join('\n')).toMatch(/^listening/);
    await target.stop();
    expect(runs(others.pid)).toBe(false);
  });

  it('that do not end are killed and named, the others are not', async () => {
    const script = `if (process.env.PGSWEEP_INSTANCE === '1') process.on('SIGTERM', () => {});
require('http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')`;
    const target = await start({ command: `node -e "${script}"`, stopTimeoutMs: 2000 }, 2);
    expect(await target.stop()).toEqual({ killedAfterMs: 2000, killed: ['1'] });
  });

  it('of which one cannot be started are none: it is named, and the others are ended', async () => {
    const command = 'if [ "$PGSWEEP_INSTANCE" = 1 ]; then echo no such module; exit 3; fi; exec node echo.mjs';
    await expect(start({ command }, 3)).rejects.toThrow(
      /^instance 1 of the service of "pool=10" ended \(exit code 3\) before it was ready\. Its last lines:\nno such module/,
    );
    const pids = [0, 2].flatMap((number) => {
      const text = readFileSync(join(folder, `arm-${logs - 1}.instance-${number}.log`), 'utf8');
      return [...text.matchAll(/listening (\d+)/g)].map(([, pid]) => Number(pid));
    });
    expect(pids.filter(runs)).toEqual([]);
  });
});
