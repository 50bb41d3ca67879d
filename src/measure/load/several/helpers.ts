import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessExit } from '../../../base/process/child-process.ts';
import { seedOf } from '../../../base/random.ts';
import { knownSecrets } from '../../../base/secrets.ts';
import { openChannel, openStream } from '../generator-channel.ts';
import type { WorkloadMessage } from '../generator-messages.ts';
import type { ClosedLoopJob } from '../http-stream.ts';
import type { LoadStream } from '../load-generator.ts';
import { mergedResults, mergedTurns } from './merged-results.ts';

/** The other processes of a generator, for load that one event loop cannot make. */
export interface Helpers {
  /** How many processes there are, the one that has started the others included. */
  readonly processes: number;
  /** The load of a job whose connections are dealt among all; `own` opens this process's share. */
  open(job: ClosedLoopJob, own: (share: ClosedLoopJob) => Promise<LoadStream>): Promise<LoadStream>;
}

/**
 * Starts the others, as children of this process, so that whoever looks at its tree sees what all of them take; they end when
 * it does. Each counts `${unique}` in steps, so that no number comes twice.
 */
export async function startHelpers(
  { processes = 1, ...workload }: WorkloadMessage,
  onSetAside: (below: number) => void,
): Promise<Helpers> {
  const [program = '', script = ''] = process.argv;
  const channels = Array.from({ length: processes - 1 }, (_, place) => {
    const child = spawn(program, [...process.execArgv, script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const channel = openChannel({ child, exited: exitOf(child), tail: () => [] }, onSetAside);
    const own = { uniqueFrom: workload.uniqueFrom + place + 1, uniqueStep: processes };
    return { channel, message: { kind: 'workload', secrets: knownSecrets(), ...workload, ...own } as const };
  });
  await Promise.all(channels.map(({ channel }) => channel.ready));
  for (const { channel, message } of channels) channel.tell(message);
  let streams = 0;
  return {
    processes,
    async open(job, own) {
      const stream = ++streams;
      const [first = job, ...others] = sharesOf(job, processes);
      return mergedStream(
        await Promise.all([
          own(first),
          ...others.map((share, place) =>
            openStream((channels[place] as (typeof channels)[number]).channel, share, stream),
          ),
        ]),
      );
    },
  };
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Connections are dealt as at cards; who has none has no share. Each makes its own requests. */
export function sharesOf(job: ClosedLoopJob, processes: number): ClosedLoopJob[] {
  const { connections } = job.load;
  return Array.from({ length: Math.min(processes, connections) }, (_, place) => ({
    ...job,
    load: { ...job.load, connections: Math.floor((connections - place - 1) / processes) + 1 },
    seed: place === 0 ? job.seed : seedOf(job.seed, 'process', place),
  }));
}

/** Several streams as one: all have their turns at the same time. */
function mergedStream([first, ...others]: readonly [LoadStream, ...LoadStream[]]): LoadStream {
  return {
    async turn(turn, { onLive, signal } = {}) {
      const failed = new AbortController();
      const rates = new Map<LoadStream, number>();
      const giveTurn = (stream: LoadStream) =>
        stream
          .turn(turn, {
            ...(onLive && {
              onLive: (requestsPerSecond: number) => {
                rates.set(stream, requestsPerSecond);
                onLive([...rates.values()].reduce((sum, rate) => sum + rate, 0));
              },
            }),
            signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal,
          })
          .catch((error: unknown) => {
            // The others do not continue without it.
            if (!failed.signal.aborted) failed.abort(error);
            throw error;
          });
      const turns = await Promise.allSettled([first, ...others].map(giveTurn));
      signal?.throwIfAborted();
      failed.signal.throwIfAborted();
      return mergedTurns(turns.flatMap((ended) => (ended.status === 'fulfilled' ? [ended.value] : [])));
    },
    async close() {
      const [own, ...rest] = await Promise.all([first.close(), ...others.map((stream) => stream.close())]);
      return mergedResults([own, ...rest]);
    },
  };
}
