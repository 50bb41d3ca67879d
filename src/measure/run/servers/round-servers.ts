import { PgsweepError } from '../../../base/errors.ts';
import type { Arm } from '../../plan/arms.ts';
import { releaseKey } from '../../plan/own-servers.ts';
import type { PreparedPostgres, StartablePostgres, StartedPostgres } from '../../stack/common/postgres.ts';
import { releaseWords } from '../../treatment/kinds/release.ts';
import { serverSettings, settingWords } from '../../treatment/kinds/settings.ts';
import { openServer, type RunningServer, type Servers } from './servers.ts';

export interface RoundServersOptions {
  /** All that get a copy of the database; at least one. */
  readonly arms: readonly Arm[];
  /** Down, with the template loaded: one for each `releaseKey`. */
  readonly prepared: ReadonlyMap<string, PreparedPostgres>;
  /** A port that was asked for can be of one server only: the first arm's. */
  readonly port?: number | undefined;
  /** `round` from 1, and 0 for the try before; `server` from 0. */
  readonly logFile: (round: number, server: number) => string;
  readonly onEnd: (postgres: StartedPostgres) => void;
}

/** A server before it runs, and why it is there. */
interface OwnServer {
  readonly startable: StartablePostgres;
  /** `shared_buffers = 1GB (own server)`, empty for the server without its own settings. */
  readonly words: string;
}

/**
 * A server for each arm, all of them started fresh in every round: each begins with cold shared buffers, and has all of
 * them to itself. All start from the same files, and differ in what their variants change.
 */
export async function createRoundServers({
  arms,
  prepared,
  port,
  logFile,
  onEnd,
}: RoundServersOptions): Promise<Servers> {
  const servers = new Map<string, OwnServer>();
  const used = new Set<PreparedPostgres>();
  for (const { name, variant } of arms) {
    const loaded = prepared.get(releaseKey(variant));
    if (loaded === undefined) throw new Error(`no server was loaded for ${variant.name}`);
    const settings = serverSettings(variant.treatment);
    // The loaded server itself is as good as a copy of it, and is there.
    const isFirst = settings.length === 0 && !used.has(loaded);
    if (isFirst) used.add(loaded);
    const startable = isFirst ? loaded : await loaded.copy(Object.fromEntries(settings));
    const words = [
      ...releaseWords(variant.treatment?.postgres),
      ...settings.map(([name, value]) => settingWords(name, value, 'server')),
    ];
    servers.set(name, { startable, words: words.join(', ') });
  }
  const running = new Map<string, RunningServer>();
  const close = async (): Promise<void> => {
    const stopping = [...running.values()].map((server) => server.stop());
    running.clear();
    await allOf(stopping);
  };
  return {
    async open(round) {
      const starting = [...servers].map(async ([name, { startable, words }], index) => {
        const start = { logFile: logFile(round, index), ...(index === 0 && port !== undefined && { port }) };
        const postgres = await startable.start(start).catch((error: unknown) => {
          throw words === '' ? error : notStarted(words, error);
        });
        running.set(name, await openServer(postgres, onEnd));
      });
      await allOf(starting);
    },
    of({ name }) {
      // Arms that are one process share the server of the first.
      const server = servers.size === 1 ? [...running.values()][0] : running.get(name);
      if (server === undefined) throw new Error(`the server of ${name} does not run`);
      return server;
    },
    running: () => [...running.values()],
    close,
  };
}

/** All are waited for, so that none is left to start or stop behind the back of the clean-up. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

function notStarted(words: string, error: unknown): unknown {
  if (!(error instanceof PgsweepError) || error.setting === undefined) return error;
  return new PgsweepError('scenario', `the server with ${words} does not start. ${error.message}`, {
    hint: 'Correct or remove that setting of the variant.',
    cause: error,
  });
}
