import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { maskKnown } from '../../base/secrets.ts';
import { formatDuration } from '../../base/units.ts';
import type { ServiceSpec } from '../../journal/scenario-record.ts';
import { DEFAULT_READY } from '../../journal/service/ready-path.ts';
import { lastLines } from './last-lines.ts';
import { serviceEnv } from './service-env.ts';
import { type Stranger, strangerOn } from './stranger-on-port.ts';
import type { StartedTarget, TargetOptions } from './target.ts';
import { type ReadyOutcome, waitUntilReady } from './wait-until-ready.ts';

/** How a service is started: the same for the built-in one, for a user's own, and for one of several. */
export interface Start extends Omit<ServiceSpec, 'command' | 'cwd'> {
  readonly command: string | [string, ...string[]];
  readonly cwd: string | undefined;
}

/** Where it runs. */
export interface ProcessPlace {
  /** For messages: `the service of "pool=10"`. */
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  /** The other services' addresses. */
  readonly env?: Readonly<Record<string, string>>;
  /** Those that run already: it is not waited for once one of them has ended. */
  readonly beside?: readonly RunningProcess[];
}

/** A service's process, which answers where that is asked of it. */
export interface RunningProcess extends Pick<StartedTarget, 'url' | 'exited' | 'tail' | 'stop'> {
  readonly name: string;
  readonly pid: number;
  /** How it has ended; null as long as it runs. */
  ended(): string | null;
}

/** Somebody else has taken the port that was free when it was looked for. */
class PortTaken extends PgsweepError {}

/** Between the look for a free port and the service that listens on it, somebody else may take it. */
const PORT_TRIES = 3;

/** Starts something on this many free ports, and again on others where one was taken meanwhile. */
export async function withFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const ports: number[] = [];
    while (ports.length < count) ports.push(await getPort({ host: '127.0.0.1' }));
    try {
      return await start(ports);
    } catch (error) {
      if (!(error instanceof PortTaken) || tries >= PORT_TRIES) throw error;
    }
  }
}

/**
 * Starts a process of a service on a port, and waits until it is ready. Throws PgsweepError `target` with its last lines,
 * and leaves nothing running.
 */
export async function startProcess(
  alone: Start,
  place: ProcessPlace,
  options: Pick<TargetOptions, 'databaseUrl' | 'search' | 'armName' | 'startingTogether' | 'reaper' | 'signal'>,
): Promise<RunningProcess> {
  const { reaper, signal, startingTogether = 1 } = options;
  const start = { ...alone, readyTimeoutMs: startingTogether * alone.readyTimeoutMs };
  const { name, port, logFile, beside = [] } = place;
  const own = serviceEnv({ ...start, env: { ...start.env, ...place.env } }, options);
  const env = { ...own, [start.portVariable]: String(port) };
  const running = watched(start, place, await spawnService(start, { env, reaper, logFile }, name));
  const all = [running, ...beside];
  const exited = Promise.race(all.map((one) => one.exited));
  const outcome = await outcomeOf(start, place, { running, exited, signal, mark: reaper.mark });
  if (outcome.kind === 'ready') return running;
  await running.stop();
  signal?.throwIfAborted();
  const other = outcome.kind === 'exited' ? beside.find((one) => one.ended() !== null) : undefined;
  if (other !== undefined) throw endedBeside(other, name);
  const tail = running.tail();
  throw notReady(start, place, { outcome, tail, isAlone: startingTogether === 1 });
}

function watched(start: Start, { name, port }: ProcessPlace, service: WatchedProcess): RunningProcess {
  let how: string | null = null;
  const exited = service.exited.then(({ code, signal }) => (signal === null ? `exit code ${code}` : String(signal)));
  void exited.then((text) => {
    how = text;
  });
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    pid: service.pid,
    exited,
    ended: () => how,
    tail: () => service.tail().map(maskKnown),
    async stop() {
      const { killed } = await service.stop({ graceMs: start.stopTimeoutMs });
      return { killedAfterMs: killed ? start.stopTimeoutMs : null };
    },
  };
}

type Outcome = ReadyOutcome | { readonly kind: 'taken'; readonly by: Stranger };

interface Started {
  readonly running: RunningProcess;
  /** Settles when it ends, or one that it needs. */
  readonly exited: Promise<string>;
  readonly signal: AbortSignal | undefined;
  readonly mark: Reaper['mark'];
}

/** Whoever has taken the port may answer as well as the service would. */
async function outcomeOf(
  start: Start,
  { port }: ProcessPlace,
  { running: { url, pid }, exited, signal, mark }: Started,
): Promise<Outcome> {
  const outcome = await up(start, { url, exited, signal });
  const by = outcome.kind === 'ready' ? strangerOn(port, { pid, mark }) : null;
  return by === null ? outcome : { kind: 'taken', by };
}

/** A command that cannot be run ends within this. */
const STARTS_MS = 100;

/** A service that listens has its paths by then. */
const MISSING_MS = 3000;

/** One that is asked for nothing is up when it runs. */
async function up(
  { ready, readyTimeoutMs }: Start,
  { url, exited, signal }: { url: string; exited: Promise<string>; signal: AbortSignal | undefined },
): Promise<ReadyOutcome> {
  if (ready !== undefined) {
    const missing = ready === DEFAULT_READY && { missingMs: MISSING_MS };
    return waitUntilReady({ url: url + ready, timeoutMs: readyTimeoutMs, exited, signal, ...missing });
  }
  const how = await Promise.race([exited, sleep(STARTS_MS).then(() => null)]);
  return how === null ? { kind: 'ready' } : { kind: 'exited', how };
}

/** True only for the port that the service was given: another that it uses would be taken the next time, too. */
function saysTaken(line: string, port: number): boolean {
  return /EADDRINUSE|in use/i.test(line) && new RegExp(`\\b${port}\\b`).test(line);
}

async function spawnService(
  { command, cwd }: Start,
  options: Pick<Parameters<typeof spawnWatched>[0], 'env' | 'reaper' | 'logFile'>,
  name: string,
): Promise<WatchedProcess> {
  try {
    return await spawnWatched({ command, ...(cwd !== undefined && { cwd }), ...options });
  } catch (cause) {
    throw new PgsweepError('target', `${name} cannot be started: ${messageOf(cause)}`, { cause });
  }
}

function endedBeside(other: RunningProcess, name: string): PgsweepError {
  const lines = lastLines(other.tail());
  return new PgsweepError('target', `${other.name} ended (${other.ended()}) while ${name} was started. ${lines}`, {
    hint: 'A service must run as long as its arm. A command that ends by itself belongs to dataset.command, or into the command of a service.',
  });
}

interface Failure {
  readonly outcome: Exclude<Outcome, { kind: 'ready' }>;
  readonly tail: readonly string[];
  readonly isAlone: boolean;
}

/** A service that is ready alone may still not run beside another of its kind. */
export const BESIDE =
  'Arms start and run at once. If the service gets ready alone, look for what two of them share: a port, a pid file, a socket or folder (PM2: PM2_HOME=/tmp/$PGSWEEP_ARM before its command).';

function notReady(start: Start, { name, port }: ProcessPlace, { outcome, tail, isAlone }: Failure): PgsweepError {
  const { ready, readyTimeoutMs, portVariable } = start;
  const lines = lastLines(tail);
  if (outcome.kind === 'exited') {
    const Kind = tail.some((line) => saysTaken(line, port)) ? PortTaken : PgsweepError;
    const how =
      ready === undefined ? `ended (${outcome.how}) at its start` : `ended (${outcome.how}) before it was ready`;
    return new Kind('target', `${name} ${how}. ${lines}`, {
      hint: /EADDRINUSE/.test(lines)
        ? `Several arms run at once: the service must listen on the port in ${portVariable}, not on a fixed one.`
        : `${isAlone ? '' : `${BESIDE} `}Try the command by hand; it gets the port and the database by environment variables (see docs/own-service.md#the-target).`,
    });
  }
  if (outcome.kind === 'taken') {
    const who = `${outcome.by.name} (pid ${outcome.by.pid})`;
    return new PortTaken('target', `${name} does not listen on port ${port}: ${who} does. ${lines}`, {
      hint: 'Another process took the port several times, or the service is not among the processes that its command starts.',
    });
  }
  if (outcome.kind === 'missing') {
    return new PgsweepError('target', `${name} runs, and answers GET ${ready} on port ${port} with 404. ${lines}`, {
      hint: 'Name a path that it answers with 2xx: ready: / under target, or --ready / without a scenario file.',
    });
  }
  return new PgsweepError(
    'target',
    `${name} was not ready after ${formatDuration(readyTimeoutMs)}: GET ${ready} on port ${port} ${outcome.last}. ${lines}`,
    {
      hint: `${isAlone ? '' : `${BESIDE} `}It must listen on 127.0.0.1 on the port in ${portVariable}, and answer GET ${ready} with 2xx (target.ready). If it needs longer, raise target.readyTimeout.`,
    },
  );
}
