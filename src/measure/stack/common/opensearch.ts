import type { ProcessExit } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { ServerLimits } from '../../../journal/scenario-record.ts';

export interface OpenSearchOptions {
  /** The image of the container, where it runs in one. */
  image?: string;
  /** The limits of the container, where it runs in one. */
  limits?: ServerLimits;
  /** Such as `2.19.6`, or `2`; left out: the one that runs on the Java of this machine. */
  version?: string;
  /** A fixed port; a free one where left out. */
  port?: number;
  /** The Java heap, which is not given back: 512 where left out. */
  heapMb?: number;
  reaper: Reaper;
  onProgress?: (message: string) => void;
  /** The node's log, in place of what is there; by default in the node's own folder, which `stop` removes. */
  logFile?: string;
  /** How long a node in a container may answer that its state is red; 60 s where left out. */
  redLimitMs?: number;
  /** Ends a set-up or a start that is under way. */
  signal?: AbortSignal;
  /** Where Java, Maven and the cache are looked for; this process's own where left out. */
  env?: NodeJS.ProcessEnv;
  /** Folders with Java installations in them; those usual on this system where left out. */
  javaFolders?: readonly string[];
}

/** A node that runs. Everything about it ends with `stop`: process, indices and log. */
export interface StartedOpenSearch extends AsyncDisposable {
  /** The name of its stack kind. */
  readonly kind: string;
  /** `2.19.6` */
  readonly version: string;
  /** For people: `Java 17`. */
  readonly java: string;
  readonly heapMb: number;
  /** `http://127.0.0.1:<port>`, with neither TLS nor a password; of an external one, what was given. */
  readonly url: string;
  /** Null where it is not a process of this machine that can be seen. */
  readonly pid: number | null;
  readonly cgroup?: string;
  readonly logFile: string;
  /** Settles when the node ends, by `stop` or by itself. */
  readonly exited: Promise<ProcessExit>;
  logTail(lines?: number): Promise<string>;
  stop(): Promise<void>;
}
