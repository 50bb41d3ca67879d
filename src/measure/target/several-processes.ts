import { PgsweepError } from '../../base/errors.ts';
import type { ServicesTarget } from '../../journal/scenario-record.ts';
import { addressVariables } from '../../journal/service/service-names.ts';
import { startOfNamed } from './start-of.ts';
import { type RunningProcess, type Start, startProcess, withFreePorts } from './start-process.ts';
import type { StartedTarget, TargetOptions, TargetStop } from './target.ts';

export type Named = readonly [name: string, process: RunningProcess];

/**
 * Several processes as one target, which has ended as soon as one of them has: `exited` names that one, such as `instance 1`
 * where `kind` is `instance`. `front`: the process under load.
 */
export function asOneTarget(
  running: readonly Named[],
  front: RunningProcess,
  { kind, ...started }: Pick<StartedTarget, 'urls' | 'tail' | 'stop'> & { readonly kind?: string },
): StartedTarget {
  const inWords = (name: string): string => (kind === undefined ? name : `${kind} ${name}`);
  return {
    url: front.url,
    pid: front.pid,
    processes: running.map(([name, { pid }]) => ({ name, pid })),
    exited: Promise.race(running.map(async ([name, { exited }]) => `${inWords(name)}: ${await exited}`)),
    ...started,
  };
}

/** The process that has ended; undefined as long as all run. */
export function endedOf(running: readonly Named[]): RunningProcess | undefined {
  return running.find(([, one]) => one.ended() !== null)?.[1];
}

/** Ends processes side by side. If one cannot be ended, the others are ended all the same; then its error is thrown. */
export async function stopAtOnce(running: readonly Named[]): Promise<TargetStop> {
  return stopOfAll(await Promise.allSettled(running.map(stopNamed)));
}

/** Ends processes one after the other. If one cannot be ended, the others are ended all the same; then its error is thrown. */
export async function stopInTurn(running: readonly Named[]): Promise<TargetStop> {
  const stops: PromiseSettledResult<NamedStop>[] = [];
  for (const one of running) stops.push(...(await Promise.allSettled([stopNamed(one)])));
  return stopOfAll(stops);
}

type NamedStop = readonly [name: string, stop: TargetStop];

async function stopNamed([name, one]: Named): Promise<NamedStop> {
  return [name, await one.stop()];
}

/** How all of them ended: the longest time after which one was killed, and the names of those that were. */
function stopOfAll(stops: readonly PromiseSettledResult<NamedStop>[]): TargetStop {
  const killed = stops.flatMap((stop) => {
    if (stop.status === 'rejected') throw stop.reason;
    const [name, { killedAfterMs }] = stop.value;
    return killedAfterMs === null ? [] : [{ name, killedAfterMs }];
  });
  if (killed.length === 0) return { killedAfterMs: null };
  return {
    killedAfterMs: Math.max(...killed.map(({ killedAfterMs }) => killedAfterMs)),
    killed: killed.map(({ name }) => name),
  };
}

/** Most lines of all instances together that are reported where none of them has ended. */
const TAIL_LINES = 16;

/**
 * This many processes of one service, started side by side, each on its own port: one target with several addresses,
 * over which the load generator deals its connections, so that nothing stands between them. Resolves when all are ready.
 * Throws the error of the first one that failed, and leaves none running.
 */
export async function startInstances(start: Start, count: number, options: TargetOptions): Promise<StartedTarget> {
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const starting = Array.from({ length: count }, async (_, instance) => {
    try {
      return await startInstance(start, { instance, count }, { ...options, signal });
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  const results = await Promise.allSettled(starting);
  const running = results.flatMap((result, instance): Named[] =>
    result.status === 'fulfilled' ? [[String(instance), result.value]] : [],
  );
  const [first] = running;
  if (first === undefined || running.length < count) {
    await stopAtOnce(running);
    options.signal?.throwIfAborted();
    throw failed.signal.reason;
  }
  return asInstances(first, running);
}

/** Variables that give a process its place among the instances. */
export function instanceVariables(instance: number, count: number): Readonly<Record<string, string>> {
  return { PGSWEEP_INSTANCE: String(instance), PGSWEEP_INSTANCES: String(count) };
}

function startInstance(
  start: Start,
  { instance, count }: { readonly instance: number; readonly count: number },
  options: TargetOptions,
): Promise<RunningProcess> {
  const place = {
    name: `instance ${instance} of the service of "${options.variant.name}"`,
    logFile: options.logFile.replace(/(\.log)?$/, `.instance-${instance}.log`),
    env: instanceVariables(instance, count),
  };
  return withFreePorts(1, ([port = 0]) => startProcess(start, { ...place, port }, options));
}

function asInstances([, first]: Named, running: readonly Named[]): StartedTarget {
  const lines = Math.ceil(TAIL_LINES / running.length);
  const lastLines = ([name, one]: Named): string[] =>
    one
      .tail()
      .slice(-lines)
      .map((line) => `[${name}] ${line}`);
  return asOneTarget(running, first, {
    kind: 'instance',
    urls: running.map(([, { url }]) => url),
    tail: () => endedOf(running)?.tail() ?? running.flatMap(lastLines),
    stop: () => stopAtOnce(running),
  });
}

/**
 * Starts the services of an arm one after the other, each once the one before is ready; all know the addresses of all.
 * Throws PgsweepError `target` with the last lines of the one that could not be started, and leaves nothing running.
 */
export function startServices(target: ServicesTarget, options: TargetOptions): Promise<StartedTarget> {
  const names = Object.keys(target.services);
  return withFreePorts(names.length, async (ports) => {
    const env = addressVariables(names.map((name, place) => ({ name, port: ports[place] ?? 0 })));
    const running: Named[] = [];
    try {
      for (const [place, name] of names.entries()) {
        const own = {
          name: `the service ${name} of "${options.variant.name}"`,
          port: ports[place] ?? 0,
          logFile: options.logFile.replace(/(\.log)?$/, `-${name}.log`),
          env,
          beside: running.map(([, one]) => one),
        };
        running.push([name, await startProcess(startOfNamed(name, target, options.variant), own, options)]);
      }
      return behindFront(running, target.underLoad);
    } catch (error) {
      await stopAll(running);
      throw error;
    }
  });
}

function behindFront(running: readonly Named[], underLoad: string): StartedTarget {
  const front = running.find(([name]) => name === underLoad)?.[1];
  if (front === undefined) throw new PgsweepError('scenario', `target.underLoad: no service is called ${underLoad}`);
  return asOneTarget(running, front, {
    tail: () => (endedOf(running) ?? front).tail(),
    stop: () => stopAll(running),
  });
}

/** In the reverse order, so that none loses what it needs before it has ended itself. */
function stopAll(running: readonly Named[]): Promise<TargetStop> {
  return stopInTurn([...running].reverse());
}
