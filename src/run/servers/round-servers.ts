import { PgsweepError } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { PreparedPostgres, StartablePostgres, StartedPostgres } from '../../stack/common/postgres.ts';
import { releaseWords } from '../../treatment/kinds/release.ts';
import { serverSettings, settingWords } from '../../treatment/kinds/settings.ts';
import { releaseKey, serverKey, variantsByServer } from '../../treatment/own-servers.ts';
import { openServer, type RunningServer, type Servers } from './servers.ts';

export interface RoundServersOptions {
  readonly scenario: Pick<ResolvedScenario, 'variants' | 'stack'>;
  /** Down, with the template loaded: one for each `releaseKey`. */
  readonly prepared: ReadonlyMap<string, PreparedPostgres>;
  /** `round` from 1, and 0 for the try before; `server` from 0. */
  readonly logFile: (round: number, server: number) => string;
  readonly onEnd: (postgres: StartedPostgres) => void;
}

/** A server before it runs, and why it is there. */
interface OwnServer {
  readonly startable: StartablePostgres;
  /** `shared_buffers = 1GB (own server)`, empty for the server without settings of its own. */
  readonly words: string;
}

/**
 * A server for each set of server settings, all of them started fresh in every round: else the variants with a server of
 * their own would begin with cold shared buffers, and the others with warm ones. All start from the same files.
 */
export async function createRoundServers(options: RoundServersOptions): Promise<Servers> {
  const { scenario, prepared, logFile, onEnd } = options;
  const { port } = scenario.stack.postgres;
  const servers = new Map<string, OwnServer>();
  for (const [key, [variant]] of variantsByServer(scenario)) {
    if (variant === undefined) continue;
    const loaded = prepared.get(releaseKey(variant));
    if (loaded === undefined) throw new Error(`no server was loaded for ${variant.name}`);
    const settings = serverSettings(variant.treatment);
    const startable = settings.length === 0 ? loaded : await loaded.copy(Object.fromEntries(settings));
    const words = [
      ...releaseWords(variant.treatment?.postgres),
      ...settings.map(([name, value]) => settingWords(name, value, 'server')),
    ];
    servers.set(key, { startable, words: words.join(', ') });
  }
  const running = new Map<string, RunningServer>();
  const close = async (): Promise<void> => {
    const stopping = [...running.values()].map((server) => server.stop());
    running.clear();
    await allOf(stopping);
  };
  return {
    async open(round) {
      const starting = [...servers].map(async ([key, { startable, words }], index) => {
        // A port that was asked for can be of one server only: of the one that has no settings of its own.
        const start = { logFile: logFile(round, index), ...(words === '' && port !== undefined && { port }) };
        const postgres = await startable.start(start).catch((error: unknown) => {
          throw words === '' ? error : notStarted(words, error);
        });
        running.set(key, await openServer(postgres, onEnd));
      });
      await allOf(starting);
    },
    of(variant) {
      const server = running.get(serverKey(variant));
      if (server === undefined) throw new Error(`the server of ${variant.name} does not run`);
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
