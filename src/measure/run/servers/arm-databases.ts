import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_OF_THE_BENCH } from '../../../base/application-names.ts';
import { createInTurn } from '../../../base/async/in-turn.ts';
import type { BulkCheck, BulkRecord } from '../../../journal/bulk-records.ts';
import type { LiveSwitch } from '../../../journal/live-switch.ts';
import type { HousekeepingRecord } from '../../../journal/postgres/housekeeping.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import type { AppliedTreatment, IndexUse } from '../../../journal/treatment-records.ts';
import { switchDatabase } from '../../live/switch-database.ts';
import type { Arm } from '../../plan/arms.ts';
import type { CountersReader } from '../../probe/meter/database-counters.ts';
import { checkpoint, copyDatabase, copySettings, dropDatabase } from '../../stack/common/databases.ts';
import { machineMemoryBytes } from '../../stack/common/machine-memory.ts';
import { withOwnConnection } from '../../stack/common/query.ts';
import { applyTreatment, undoTreatment } from '../../treatment/apply.ts';
import { readIndexUse } from '../../treatment/indexes.ts';
import type { TreatedDatabase } from '../../treatment/sql.ts';
import { checkBulk } from '../bulk/check-bulk.ts';
import { type Crowding, crowdingOf } from './crowding.ts';
import type { RunningServer, Servers } from './servers.ts';
import { type Login, urlFor } from './service-role.ts';

/** An arm's own database, as its variant wants it. */
export interface ArmDatabase {
  readonly url: string;
  /** Changes made in it, each seen on a new connection. */
  readonly treatment: readonly AppliedTreatment[];
}

/** A session on a server that is not the bench's. */
export interface SeenSession {
  readonly database: string;
  readonly role: string;
  /** The port from which it came; null where it is hidden, or the session came by a Unix socket. */
  readonly port: number | null;
  /** When its last statement began, by the server's clock; null where it had none, or that is hidden. */
  readonly askedMs: number | null;
}

/** Use of a copy and its server by others than the bench. */
export interface CopyUse {
  /** The name of the copy on its server. */
  readonly name: string;
  /** Transactions that have ended in it, also those of the bench. */
  readonly transactions: number;
  /** Scans of its tables and rows written to them: the bench makes none while a service runs. */
  readonly accesses: number;
  /** All sessions on its server. */
  readonly sessions: readonly SeenSession[];
  /** When this was read, by the server's clock. */
  readonly atMs: number;
}

/** An arm that is to have a copy; a variant's own name is the name of its first arm. */
export type ArmToCopy = Pick<Arm, 'name' | 'variant'>;

/** Gives each arm a copy of the template database. The run knows only this, so that a fake can stand in. */
export interface ArmDatabases {
  /** Starts the servers of a round, where they do not run for the whole session (servers.ts). */
  open(...round: Parameters<Servers['open']>): Promise<void>;
  /** Makes the copy and changes it as the arm's variant says. */
  copy(name: string, arm: ArmToCopy): Promise<ArmDatabase>;
  /** Switches a copy that a service is using, and returns what new connections find. */
  switch(name: string, to: LiveSwitch): Promise<readonly AppliedTreatment[]>;
  /** Sessions on the server of a copy, and transactions in it; null where there is no such copy. */
  use(name: string): Promise<CopyUse | null>;
  /** The indexes of a copy whose service has ended. */
  indexes(name: string): Promise<readonly IndexUse[]>;
  drop(name: string): Promise<void>;
  /** Vacuums and analyzes a copy that has been filled, so that reads find it as a copy of a loaded template. */
  tidy(name: string): Promise<void>;
  /** Compares a copy with the report of a bulk load; null where nothing says how. */
  check(name: string, spec: BulkSpec, bulk: BulkRecord): Promise<BulkCheck | null>;
  /**
   * Why the copies cannot all stay cached, so that arms that take turns would meet colder caches than arms alone: copies
   * that share a server do not fit in its shared_buffers together; all copies and shared_buffers do not fit in memory.
   */
  crowding(): Promise<Crowding | null>;
  /** Puts all arms at the same distance from a checkpoint; returns how many it made: none where they are Postgres's own affair. */
  checkpoint(): Promise<number>;
  /** Postgres's own work for a copy since its statistics began; null where there is no such copy. */
  housekeeping(name: string): Promise<HousekeepingRecord | null>;
  /** Drops the copies that are left, and stops the servers that `open` has started. */
  close(): Promise<void>;
}

export interface ArmDatabasesOptions {
  /**
   * True if checkpoints come when Postgres wants them. A round then makes none: the first change of each page after a
   * checkpoint writes the whole page to the WAL, which would be most of what a short slice measures.
   */
  readonly housekeeping?: boolean | undefined;
  /** The role that an arm's service has; null where it has the server's user. */
  readonly login?: (arm: ArmToCopy) => Login | null;
  /** Memory of the machine that our own servers share; by default this machine's. */
  readonly memoryBytes?: number;
}

/** Real databases; `reader` reads the counters of each from the server that it is on. */
export interface RealArmDatabases extends ArmDatabases {
  readonly reader: CountersReader;
  /** True if there is a copy of that name. */
  has(name: string): boolean;
}

/** How long the connections of a service that has ended may still show, and with them what they have not reported. */
const CLOSE_MS = 3000;
const CLOSE_POLL_MS = 20;

/** Their workers report each table when they have done it. */
const VACUUMS_SQL = `
  SELECT coalesce(sum(autovacuum_count), 0)::int AS autovacuums, coalesce(sum(autoanalyze_count), 0)::int AS autoanalyzes
  FROM pg_stat_user_tables`;

const SESSIONS_SQL = `
  SELECT datname AS database, usename AS role, client_port AS port,
    1000 * extract(epoch FROM query_start)::float8 AS "askedMs" FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND datname IS NOT NULL AND ${NOT_OF_THE_BENCH}`;
const TRANSACTIONS_SQL = `
  SELECT (xact_commit + xact_rollback)::float8 AS transactions, 1000 * extract(epoch FROM clock_timestamp())::float8 AS "atMs"
  FROM pg_stat_database WHERE datname = $1`;
const ACCESSES_SQL = `
  SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 AS accesses
  FROM pg_stat_user_tables`;

interface Copy {
  /** On its server. */
  readonly name: string;
  readonly variant: Arm['variant'];
  readonly server: RunningServer;
  readonly treated: TreatedDatabase;
}

export function armDatabases(
  servers: Servers,
  templateOf: (variant: Arm['variant']) => string,
  { housekeeping = false, login = () => null, memoryBytes = machineMemoryBytes() }: ArmDatabasesOptions = {},
): RealArmDatabases {
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
    open: servers.open,
    async copy(armName, arm) {
      const { variant } = arm;
      const server = servers.of(arm);
      const { postgres } = server;
      const name = nameOn(postgres, armName);
      const url = postgres.adminUrl(name);
      const role = login(arm);
      const template = nameOn(postgres, templateOf(variant));
      const treated: TreatedDatabase = {
        name,
        role: role?.name ?? null,
        connect: (use) => withOwnConnection(url, use),
        restore: (run, setting) => copySettings(run, template, name, setting),
      };
      await dropDatabase(postgres, name);
      const owner = role?.owns ? { owner: role.name } : {};
      await copyDatabase(postgres, { template, name, withoutCheckpoint: housekeeping, ...owner });
      copies.set(armName, { name, variant, server, treated });
      // One after the other: what their SQL does may reach beyond the arm's own database.
      const treatment = await inTurn(() => applyTreatment(treated, variant));
      return { url: urlFor(role, url), treatment };
    },
    async switch(name, to) {
      const copy = copies.get(name);
      return copy === undefined ? [] : switchDatabase(copy.treated, to, copy.server.postgres.own);
    },
    async use(name) {
      const copy = copies.get(name);
      if (copy === undefined) return null;
      return copy.treated.connect(async (run) => {
        const sessions = await run(SESSIONS_SQL);
        const [database] = await run(TRANSACTIONS_SQL, [copy.name]);
        const [tables] = await run(ACCESSES_SQL);
        const counts = {
          transactions: Number(database?.transactions ?? 0),
          accesses: Number(tables?.accesses ?? 0),
          atMs: Number(database?.atMs ?? 0),
        };
        return { name: copy.name, ...counts, sessions: sessions.map(toSession) };
      });
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
    check: async (name, spec, bulk) => {
      const copy = copies.get(name);
      if (copy === undefined) return null;
      return checkBulk(spec, copy.server.postgres.adminUrl(copy.name), bulk);
    },
    crowding: () => crowdingOf([...copies.values()], memoryBytes),
    async checkpoint() {
      if (housekeeping) return 0;
      const made = await Promise.all(servers.running().map(({ postgres }) => checkpoint(postgres)));
      return made.filter(Boolean).length;
    },
    async housekeeping(name) {
      const copy = copies.get(name);
      if (copy === undefined) return null;
      const [checkpoints, rows] = await Promise.all([
        copy.server.housekeeping.checkpoints(),
        copy.treated.connect((run) => run(VACUUMS_SQL)),
      ]);
      const { autovacuums, autoanalyzes } = rows[0] ?? {};
      return { checkpoints, autovacuums: Number(autovacuums), autoanalyzes: Number(autoanalyzes) };
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

function toSession({ database, role, port, askedMs }: Readonly<Record<string, unknown>>): SeenSession {
  const from = Number(port ?? -1);
  const own = { database: String(database), role: String(role), port: from > 0 ? from : null };
  return { ...own, askedMs: askedMs === null ? null : Number(askedMs) };
}

function readerOf(copies: ReadonlyMap<string, Copy>): CountersReader {
  /** Asks each server about its own databases, and gives what it says the names of their arms. */
  const askEach = async <Value>(
    databases: readonly string[],
    ask: (reader: CountersReader, names: readonly string[]) => Promise<Iterable<readonly [string, Value]>>,
  ): Promise<(readonly [string, Value])[]> => {
    const byServer = new Map<RunningServer, Map<string, string>>();
    for (const arm of databases) {
      const copy = copies.get(arm);
      if (copy === undefined) continue;
      const arms = byServer.get(copy.server) ?? new Map<string, string>();
      byServer.set(copy.server, arms.set(copy.name, arm));
    }
    const answers = [...byServer].map(async ([server, arms]) => {
      const answer = await ask(server.reader, [...arms.keys()]);
      return [...answer].map(([name, value]) => [arms.get(name) ?? name, value] as const);
    });
    return (await Promise.all(answers)).flat();
  };
  const askForSome = async (
    databases: readonly string[],
    ask: (reader: CountersReader, names: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<ReadonlySet<string>> => {
    const some = await askEach(databases, async (reader, names) => (await ask(reader, names)).entries());
    return new Set(some.map(([arm]) => arm));
  };
  return {
    read: async (databases) => new Map(await askEach(databases, (reader, names) => reader.read(names))),
    holdingBack: (databases, unusedMs) => askForSome(databases, (reader, names) => reader.holdingBack(names, unusedMs)),
    clockSet: (databases, sinceMs) => askForSome(databases, (reader, names) => reader.clockSet(names, sinceMs)),
    async connectionCount(database) {
      const copy = copies.get(database);
      return copy === undefined ? 0 : copy.server.reader.connectionCount(copy.name);
    },
    // Each server's own reader ends with it.
    close: async () => {},
  };
}
