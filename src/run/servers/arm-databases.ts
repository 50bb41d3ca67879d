import { setTimeout as sleep } from 'node:timers/promises';
import { createInTurn } from '../../base/async/in-turn.ts';
import type { BulkCheck, BulkRecord } from '../../journal/bulk-records.ts';
import type { LiveSwitch } from '../../journal/live-switch.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { AppliedTreatment, IndexUse } from '../../journal/treatment-records.ts';
import type { CountersReader } from '../../probe/meter/database-counters.ts';
import { checkpoint, copyDatabase, dropDatabase } from '../../stack/common/databases.ts';
import { withConnection } from '../../stack/common/query.ts';
import { applyTreatment, undoTreatment } from '../../treatment/apply.ts';
import { readIndexUse } from '../../treatment/indexes.ts';
import { serverKey } from '../../treatment/own-servers.ts';
import type { TreatedDatabase } from '../../treatment/sql.ts';
import { switchDatabase } from '../../treatment/switch-database.ts';
import { checkBulk } from '../bulk/check-bulk.ts';
import type { RunningServer, Servers } from './servers.ts';

/** An arm's own database, as its variant wants it. */
export interface ArmDatabase {
  readonly url: string;
  /** A process in the network namespace of its server; undefined where that is this machine's. */
  readonly networkPid?: number | undefined;
  /** What was changed in it, each seen on a new connection. */
  readonly treatment: readonly AppliedTreatment[];
  /** Whether it is on a server of the variant's own. */
  readonly ownServer: boolean;
}

/** Gives each arm a copy of the template database. The run knows only this, so that a fake can stand in. */
export interface ArmDatabases {
  /** Starts the servers of a round, where they do not run for the whole session. */
  open(round: number): Promise<void>;
  /** Makes the copy and changes it as the variant says. */
  copy(name: string, variant: Variant): Promise<ArmDatabase>;
  /** Switches a copy that a service is using, and returns what new connections find. */
  switch(name: string, live: LiveSwitch): Promise<readonly AppliedTreatment[]>;
  /** The indexes of a copy whose service has ended. */
  indexes(name: string): Promise<readonly IndexUse[]>;
  drop(name: string): Promise<void>;
  /** Vacuums and analyzes a copy that has been filled, so that reads find it as a copy of a loaded template. */
  tidy(name: string): Promise<void>;
  /** What a copy holds, against what a bulk load says that it has loaded; null where its tables are not known. */
  check(name: string, bulk: BulkRecord): Promise<BulkCheck | null>;
  /** Whether one copy fits in its server's shared_buffers, and all copies there together do not. */
  crowdSharedBuffers(): Promise<boolean>;
  /** Puts all arms at the same distance from a checkpoint. */
  checkpoint(): Promise<void>;
  /** Drops the copies that are left, and stops the servers that `open` has started. */
  close(): Promise<void>;
}

/** Real databases; `reader` reads the counters of each from the server that it is on. */
export interface RealArmDatabases extends ArmDatabases {
  readonly reader: CountersReader;
  /** Whether there is a copy of that name. */
  has(name: string): boolean;
}

/** How long the connections of a service that has ended may still show, and with them what they have not reported. */
const CLOSE_MS = 3000;
const CLOSE_POLL_MS = 20;

const CROWDED_SQL = `
  WITH sizes AS (SELECT pg_database_size(datname) AS bytes FROM pg_database WHERE datname = ANY($1)),
  buffers AS (SELECT pg_size_bytes(current_setting('shared_buffers')) AS bytes)
  SELECT (SELECT max(bytes) FROM sizes) <= buffers.bytes AND (SELECT sum(bytes) FROM sizes) > buffers.bytes AS crowded
  FROM buffers`;

interface Copy {
  /** On its server. */
  readonly name: string;
  readonly variant: Variant;
  readonly server: RunningServer;
  readonly treated: TreatedDatabase;
}

export function armDatabases(servers: Servers, template: string): RealArmDatabases {
  const copies = new Map<string, Copy>();
  const reader = readerOf(copies);
  const inTurn = createInTurn();
  const drop = async (name: string): Promise<void> => {
    const copy = copies.get(name);
    if (copy === undefined) return;
    copies.delete(name);
    try {
      await undoTreatment(copy.treated, copy.variant);
    } finally {
      await dropDatabase(copy.server.postgres, copy.name);
    }
  };
  return {
    reader,
    has: (name) => copies.has(name),
    open: (round) => servers.open(round),
    async copy(armName, variant) {
      const server = servers.of(variant);
      const { postgres } = server;
      const name = nameOn(postgres, armName);
      const url = postgres.adminUrl(name);
      const treated: TreatedDatabase = { name, connect: (use) => withConnection(url, use) };
      await dropDatabase(postgres, name);
      await copyDatabase(postgres, { template: nameOn(postgres, template), name });
      copies.set(armName, { name, variant, server, treated });
      // One after the other: what their SQL does may reach beyond the arm's own database.
      const treatment = await inTurn(() => applyTreatment(treated, variant));
      return { url, networkPid: postgres.networkPid, treatment, ownServer: serverKey(variant) !== '' };
    },
    async switch(name, live) {
      const copy = copies.get(name);
      return copy === undefined ? [] : switchDatabase(copy.treated, live, copy.server.postgres.own);
    },
    async indexes(name) {
      const copy = copies.get(name);
      if (copy === undefined) return [];
      const end = performance.now() + CLOSE_MS;
      while ((await reader.connectionCount(name)) > 0 && performance.now() < end) await sleep(CLOSE_POLL_MS);
      return copy.treated.connect(readIndexUse);
    },
    drop,
    async tidy(name) {
      await copies.get(name)?.treated.connect(async (run) => void (await run('VACUUM (ANALYZE)')));
    },
    check: async (name, bulk) => {
      const copy = copies.get(name);
      return copy === undefined ? null : checkBulk(copy.server.postgres.adminUrl(copy.name), bulk);
    },
    async crowdSharedBuffers() {
      const servers = new Set([...copies.values()].map(({ server }) => server));
      const crowded = [...servers].map(async (server) => {
        const names = [...copies.values()].filter((copy) => copy.server === server).map(({ name }) => name);
        const [row] = await withConnection(server.postgres.adminUrl(), (run) => run(CROWDED_SQL, [names]));
        return row?.crowded === true;
      });
      return (await Promise.all(crowded)).includes(true);
    },
    async checkpoint() {
      await Promise.all(servers.running().map(({ postgres }) => checkpoint(postgres)));
    },
    async close() {
      const left = await Promise.allSettled([...copies.keys()].map(drop));
      await servers.close();
      const failed = left.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

/** The name of a database on a server: where others have theirs there too, one that nobody else uses. */
export function nameOn({ databasePrefix }: Pick<RunningServer['postgres'], 'databasePrefix'>, name: string): string {
  return databasePrefix === undefined ? name : `${databasePrefix}${name.replace(/^pgsweep_/, '')}`;
}

function readerOf(copies: ReadonlyMap<string, Copy>): CountersReader {
  return {
    async read(databases) {
      const byServer = new Map<RunningServer, Map<string, string>>();
      for (const arm of databases) {
        const copy = copies.get(arm);
        if (copy === undefined) continue;
        const arms = byServer.get(copy.server) ?? new Map<string, string>();
        byServer.set(copy.server, arms.set(copy.name, arm));
      }
      const readings = [...byServer].map(async ([server, arms]) => {
        const reading = await server.reader.read([...arms.keys()]);
        return [...reading].map(([name, counters]) => [arms.get(name) ?? name, counters] as const);
      });
      return new Map((await Promise.all(readings)).flat());
    },
    async connectionCount(database) {
      const copy = copies.get(database);
      return copy === undefined ? 0 : copy.server.reader.connectionCount(copy.name);
    },
    // Each server's own reader ends with it.
    close: async () => {},
  };
}
