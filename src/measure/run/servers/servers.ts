import type { Arm } from '../../plan/arms.ts';
import { type CountersReader, openCountersReader } from '../../probe/meter/database-counters.ts';
import { type Housekeeping, openHousekeeping } from '../../probe/meter/postgres-housekeeping.ts';
import type { StartedPostgres } from '../../stack/common/postgres.ts';

/** A server that runs, and the bench's own connections to it. */
export interface RunningServer {
  readonly postgres: Pick<
    StartedPostgres,
    'own' | 'pid' | 'cgroup' | 'adminUrl' | 'databasePrefix' | 'version' | 'logFile'
  >;
  readonly reader: CountersReader;
  readonly housekeeping: Housekeeping;
  stop(): Promise<void>;
}

/** The Postgres servers of a session. What starts them, and where, is the stack's business. */
export interface Servers {
  /** Starts those that run for one round only: of these arms, in that order; by default of all that the run is planned for. */
  open(round: number, arms?: readonly Pick<Arm, 'name' | 'variant'>[]): Promise<void>;
  /** The running server that an arm's database is on. */
  of(arm: Pick<Arm, 'name'>): RunningServer;
  running(): readonly RunningServer[];
  /** Stops those that `open` has started. */
  close(): Promise<void>;
}

/** Connects to a server. `onEnd` hears of one that ends without having been stopped. */
export async function openServer(
  postgres: StartedPostgres,
  onEnd: (postgres: StartedPostgres) => void,
): Promise<RunningServer> {
  let stopping = false;
  void postgres.exited.then(() => {
    if (!stopping) onEnd(postgres);
  });
  const stopPostgres = (): Promise<void> => {
    stopping = true;
    return postgres.stop();
  };
  try {
    const reader = await openCountersReader(postgres.adminUrl());
    const housekeeping = await openHousekeeping(postgres.adminUrl());
    return {
      postgres,
      reader,
      housekeeping,
      async stop() {
        stopping = true;
        // A connection that is broken has nothing left to close.
        await Promise.allSettled([reader.close(), housekeeping.close()]);
        await stopPostgres();
      },
    };
  } catch (error) {
    await stopPostgres();
    throw error;
  }
}

/** One server that all arms share, for the whole session. */
export function sharedServer(server: RunningServer): Servers {
  return { open: async () => {}, of: () => server, running: () => [server], close: async () => {} };
}
