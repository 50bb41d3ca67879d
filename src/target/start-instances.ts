import type { StartedTarget } from './target.ts';

/** Starts one of several instances, by its number from 0; the signal is aborted when another one has failed. */
export type StartInstance = (instance: number, signal: AbortSignal) => Promise<StartedTarget>;

/** So many lines of all instances together are told where none of them has ended. */
const TAIL_LINES = 16;

/**
 * So many instances of one service, started side by side: one target with several addresses, over which the load
 * generator deals its connections, so that nothing stands between. Resolves when all are ready. The first that ends
 * has ended the target. Throws what the first one failed by, and leaves none running.
 */
export async function startInstances(
  count: number,
  start: StartInstance,
  signal: AbortSignal | undefined,
): Promise<StartedTarget> {
  const failed = new AbortController();
  const either = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
  const starting = Array.from({ length: count }, async (_, instance) => {
    try {
      return await start(instance, either);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = started;
  if (first === undefined || started.length < count) {
    await Promise.all(started.map((instance) => instance.stop()));
    signal?.throwIfAborted();
    throw failed.signal.reason;
  }
  return together(first, started);
}

function together(first: StartedTarget, instances: readonly StartedTarget[]): StartedTarget {
  let ended: StartedTarget | null = null;
  const exited = Promise.race(
    instances.map(async (instance, number) => {
      const how = await instance.exited;
      ended ??= instance;
      return `instance ${number}: ${how}`;
    }),
  );
  const lines = Math.ceil(TAIL_LINES / instances.length);
  return {
    url: first.url,
    urls: instances.map(({ url }) => url),
    pid: first.pid,
    processes: instances.flatMap(({ pid }, number) => (pid === null ? [] : [{ name: String(number), pid }])),
    exited,
    tail: () =>
      ended?.tail() ??
      instances.flatMap((instance, number) =>
        instance
          .tail()
          .slice(-lines)
          .map((line) => `[${number}] ${line}`),
      ),
    async stop() {
      const stops = await Promise.all(instances.map((instance) => instance.stop()));
      const times = stops.flatMap(({ killedAfterMs }) => killedAfterMs ?? []);
      const killed = stops.flatMap(({ killedAfterMs }, number) => (killedAfterMs === null ? [] : [String(number)]));
      return { killedAfterMs: times.length === 0 ? null : Math.max(...times), ...(killed.length > 0 && { killed }) };
    },
  };
}
