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

/** Ends processes side by side. All are ended, whatever one fails by; then throws that. */
export async function stopAtOnce(running: readonly Named[]): Promise<TargetStop> {
  return stopOfAll(await Promise.allSettled(running.map(stopNamed)));
}

/** Ends processes one after the other, otherwise likewise. */
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
