import { nodeCommand } from '../../base/node-command.ts';
import { spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { knownSecrets } from '../../base/secrets.ts';
import { FIRST_UNIQUE } from '../../base/template.ts';
import type { BulkSpec } from '../../journal/scenario-record.ts';
import { type GeneratorChannel, openChannel, openStream } from './generator-channel.ts';
import type { WorkloadMessage } from './generator-messages.ts';
import type { BulkJob, BulkOptions, BulkStream, LoadGenerator } from './load-generator.ts';
import type { TriedRequest } from './try/tried-request.ts';
import type { RequestTrial } from './try/try-requests.ts';

/** `uniqueFrom` is FIRST_UNIQUE where left out. */
type Workload = Omit<WorkloadMessage, 'uniqueFrom'> &
  Partial<WorkloadMessage> & { readonly bulk?: BulkSpec | undefined };

export interface StartedGenerator extends LoadGenerator {
  /**
   * Sends one request of each kind, and says what came of them. Throws PgsweepError `dataset` or `load` where requests
   * cannot be made, and the signal's reason when aborted.
   */
  tryRequests(trial: RequestTrial, signal?: AbortSignal): Promise<readonly TriedRequest[]>;
}

/**
 * Starts the load generator in its own process: its work must not wait for the bench's, and the bench must see how
 * busy it is. One process serves the whole run, so that every arm meets an equally warm generator. `onSetAside` is that
 * of `uniqueNumbers`.
 */
export async function startLoadGenerator(
  { bulk, ...workload }: Workload,
  reaper: Reaper,
  onSetAside: (below: number) => void = () => {},
): Promise<StartedGenerator> {
  const command = nodeCommand(new URL('./generator-main.ts', import.meta.url), {
    // A module of the user's may be TypeScript, or import some.
    loadsTypeScript: workload.workload.kind === 'module' || bulk?.dataset.kind === 'module',
  });
  const generator = await spawnWatched({ command, reaper, ipc: true });
  const channel = openChannel(generator, onSetAside);
  await channel.ready;
  channel.tell({ kind: 'workload', secrets: knownSecrets(), uniqueFrom: FIRST_UNIQUE, ...workload });
  let streams = 0;
  return {
    pid: generator.pid,
    open: (job) => openStream(channel, job, ++streams),
    openBulk: (job, options = {}) => openBulkStream(channel, { job, stream: ++streams }, options),
    async tryRequests(trial, signal) {
      const message = { kind: 'try', stream: ++streams, trial } as const;
      return (await channel.ask(message, 'tried', signal && { signal })).tried;
    },
    async stop() {
      await generator.stop();
    },
  };
}

async function openBulkStream(
  channel: GeneratorChannel,
  { job, stream }: { readonly job: BulkJob; readonly stream: number },
  { signal }: Pick<BulkOptions, 'signal'>,
): Promise<BulkStream> {
  await channel.ask({ kind: 'open-bulk', stream, job }, 'opened', { ...(signal && { signal }) });
  return {
    async turn(turnMs, { onProgress, signal } = {}) {
      const durationMs = Number.isFinite(turnMs) ? turnMs : null;
      const { result } = await channel.ask({ kind: 'bulk-turn', stream, durationMs }, 'bulk-turned', {
        hear: (news) => news.kind === 'bulk-progress' && onProgress?.(news.progress),
        ...(signal && { signal }),
      });
      return result;
    },
    async close() {
      const { result } = await channel.ask({ kind: 'close-bulk', stream }, 'bulk-closed');
      return result;
    },
  };
}
