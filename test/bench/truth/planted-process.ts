import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReaper } from '../../../src/base/process/reaper.ts';
import { checkpoint } from '../../../src/measure/stack/common/databases.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';
import { envOf, type PlantedService, servicesFolder } from './planting.ts';

/** What a planted service wrote about itself by one moment: totals since its start. */
export interface LogLine {
  readonly arm: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly answers: number;
  /** Answers with 200. */
  readonly ok: number;
  /** For how long it held those with 200, from the request until the answer, all together. */
  readonly heldMs: number;
}

/** An arm's service that the bench started by itself, without pgsweep. */
export interface PlantedProcess {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts the service of an arm, on a Postgres of its own where it needs one; resolves when it listens. Both end with this process. */
export async function startPlanted(planting: PlantedService, arm: string, logFolder: string): Promise<PlantedProcess> {
  if (planting.postgres === undefined) return startService(planting, arm, logFolder, {});
  const reaper = startReaper();
  const server = await startEmbeddedPostgres({ reaper, settings: planting.postgres.settings[arm] ?? {} });
  const stopServer = async (): Promise<void> => {
    await server.stop();
    await reaper.close();
  };
  try {
    const database = { DATABASE_URL: server.adminUrl('postgres') };
    const fill = join(servicesFolder, `${planting.postgres.fill}.mjs`);
    await promisify(execFile)(process.execPath, [fill], { env: { ...process.env, ...database } });
    await checkpoint(server);
    const service = await startService(planting, arm, logFolder, database);
    return { ...service, stop: () => service.stop().finally(stopServer) };
  } catch (error) {
    await stopServer();
    throw error;
  }
}

async function startService(
  { service, arms }: PlantedService,
  arm: string,
  logFolder: string,
  database: Readonly<Record<string, string>>,
): Promise<PlantedProcess> {
  const own = { ...envOf(arm, arms[arm] ?? {}, logFolder), ...database };
  const child = fork(join(servicesFolder, `${service}.mjs`), {
    env: { ...process.env, PORT: '0', ...own },
    execArgv: [],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the service ${service} ended before it listened`);
  });
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
  ended.catch(() => {});
  return { port, pid: child.pid ?? 0, stop: () => stopped(child) };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** The logs of all services that wrote into a folder, each from its first line to its last. */
export function readLogs(folder: string): LogLine[][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as LogLine),
    );
}
