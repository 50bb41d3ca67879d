import { asOneTarget, endedOf, type Named, stopAtOnce } from './several-processes.ts';
import { type RunningProcess, type Start, startProcess, withFreePorts } from './start-process.ts';
import type { StartedTarget, TargetOptions } from './target.ts';

/** Most lines of all instances together that are reported where none of them has ended. */
const TAIL_LINES = 16;

/**
 * This many processes of one service, started side by side, each on its own port: one target with several addresses,
 * over which the load generator deals its connections, so that nothing stands between them. Resolves when all are ready.
 * Throws what the first one failed by, and leaves none running.
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
  return together(first, running);
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

function together([, first]: Named, running: readonly Named[]): StartedTarget {
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
