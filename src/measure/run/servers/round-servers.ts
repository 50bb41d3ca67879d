import { PgsweepError } from '../../../base/errors.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { Arm } from '../../plan/arms.ts';
import { releaseKey } from '../../plan/own-servers.ts';
import type {
  PreparedPostgres,
  SettingValue,
  StartablePostgres,
  StartedPostgres,
} from '../../stack/common/postgres.ts';
import { releaseWords } from '../../treatment/kinds/release.ts';
import { serverSettings, settingWords } from '../../treatment/kinds/settings.ts';
import { openServer, type RunningServer, type Servers } from './servers.ts';

export interface RoundServersOptions {
  /** All that get a copy of the database; at least one. Rounds have no more of a release than these. */
  readonly arms: readonly Arm[];
  /** Down, with the template loaded: one for each `releaseKey`. */
  readonly prepared: ReadonlyMap<string, PreparedPostgres>;
  /** A port that was asked for can be of one server only: the first one's. */
  readonly port?: number | undefined;
  /** `round` from 1, and 0 for the try before; `place` of the arm in the round, from 0. */
  readonly logFile: (round: number, place: number) => string;
  readonly onEnd: (postgres: StartedPostgres) => void;
}

/** The server that a variant wants. */
interface OwnServer {
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** `shared_buffers = 1GB (own server)`, empty for the server without its own settings. */
  readonly words: string;
}

function serverOf({ treatment }: Variant): OwnServer {
  const settings = serverSettings(treatment);
  const words = [
    ...releaseWords(treatment?.postgres),
    ...settings.map(([setting, value]) => settingWords(setting, value, 'server')),
  ];
  return { settings: Object.fromEntries(settings), words: words.join(', ') };
}

/**
 * A server for each arm, all of them started fresh in every round: each begins with cold shared buffers, and has all of
 * them to itself. All start from the same files, and differ in what their variants change. Which files an arm's server has
 * goes by the arm's place in the round.
 */
export async function createRoundServers({
  arms,
  prepared,
  port,
  logFile,
  onEnd,
}: RoundServersOptions): Promise<Servers> {
  const files = new Map<string, StartablePostgres[]>();
  for (const { variant } of arms) {
    const release = releaseKey(variant);
    const loaded = prepared.get(release);
    if (loaded === undefined) throw new Error(`no server was loaded for ${variant.name}`);
    const own = files.get(release);
    // The loaded server itself is as good as a copy of it, and is there.
    if (own === undefined) files.set(release, [loaded]);
    else own.push(await loaded.copy());
  }
  const running = new Map<string, RunningServer>();
  const close = async (): Promise<void> => {
    const stopping = [...running.values()].map((server) => server.stop());
    running.clear();
    await allOf(stopping);
  };
  return {
    async open(round, wanted = arms) {
      const free = new Map([...files].map(([release, own]) => [release, [...own]]));
      let portLeft = port;
      const starting = wanted.map(async ({ name, variant }, place) => {
        const startable = free.get(releaseKey(variant))?.shift();
        if (startable === undefined) return;
        const { settings, words } = serverOf(variant);
        const start = { settings, logFile: logFile(round, place), ...(portLeft !== undefined && { port: portLeft }) };
        portLeft = undefined;
        const postgres = await startable.start(start).catch((error: unknown) => {
          throw words === '' ? error : notStarted(words, variant, error);
        });
        running.set(name, await openServer(postgres, onEnd));
      });
      await allOf(starting);
    },
    of({ name }) {
      // Arms that are one process share the server of the first.
      const server = arms.length === 1 ? [...running.values()][0] : running.get(name);
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

function notStarted(words: string, { name }: Variant, error: unknown): unknown {
  if (!(error instanceof PgsweepError) || error.setting === undefined) return error;
  return new PgsweepError('scenario', `the server with ${words} does not start. ${error.message}`, {
    hint: 'Correct or remove that setting of the variant.',
    variant: name,
    cause: error,
  });
}
