import type { RunningProcess } from './start-process.ts';
import type { StartedTarget, TargetStop } from './target.ts';

export type Named = readonly [name: string, process: RunningProcess];

/**
 * Several processes as one target, which has ended when one of them has; that one is named, after `kind` where that is
 * given. `front`: the one under load.
 */
export function asOneTarget(
  running: readonly Named[],
  front: RunningProcess,
  { kind, ...told }: Pick<StartedTarget, 'urls' | 'tail' | 'stop'> & { readonly kind?: string },
): StartedTarget {
  const inWords = (name: string): string => (kind === undefined ? name : `${kind} ${name}`);
  return {
    url: front.url,
    pid: front.pid,
    processes: running.map(([name, { pid }]) => ({ name, pid })),
    exited: Promise.race(running.map(async ([name, { exited }]) => `${inWords(name)}: ${await exited}`)),
    ...told,
  };
}

/** The process that has ended; undefined as long as all run. */
export function endedOf(running: readonly Named[]): RunningProcess | undefined {
  return running.find(([, one]) => one.ended() !== null)?.[1];
}

/** How all of them ended: the longest time after which one was killed, and the names of those that were. */
export function stopOfAll(stops: readonly (readonly [name: string, stop: TargetStop])[]): TargetStop {
  const killed = stops.flatMap(([name, { killedAfterMs }]) =>
    killedAfterMs === null ? [] : [{ name, killedAfterMs }],
  );
  if (killed.length === 0) return { killedAfterMs: null };
  return {
    killedAfterMs: Math.max(...killed.map(({ killedAfterMs }) => killedAfterMs)),
    killed: killed.map(({ name }) => name),
  };
}
