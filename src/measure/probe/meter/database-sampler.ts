import { messageOf } from '../../../base/errors.ts';
import { databaseColumns } from '../../../journal/records.ts';
import type { ProbeContext } from '../probe.ts';
import { openSamplesCsv } from '../samples-file.ts';
import type { CountersReader } from './database-counters.ts';

/** An arm whose database is sampled. */
export interface SampledArm {
  readonly arm: string;
  readonly database: string;
}

interface MarkedSlice {
  readonly slice: number;
  readonly arm: string;
  /** The arm whose database it uses: arms of one process share one. */
  readonly sampledAs: string;
}

/** Samples the arms' pg_stat_database rows while they live. */
export interface DatabaseSampler {
  start(round: number, arms: readonly SampledArm[]): void;
  /** Says whose turn it is, or null between turns; it stands in the samples. The row of `sampledAs` gets its load. */
  mark(slice: MarkedSlice | null): void;
  /** Ends the load of a turn, which was this long. Each row has the load since the row before it. */
  addLoad(arm: string, loadMs: number): void;
  /** Takes a last sample and stops. */
  stop(): Promise<void>;
  /** Ends the file. */
  close(): Promise<void>;
}

export interface SamplerOptions {
  readonly file: string;
  readonly intervalMs: number;
  readonly reader: CountersReader;
  /** Default: this machine's clock. */
  readonly nowMs?: () => number;
  readonly onWarning: ProbeContext['onWarning'];
}

const columns = ['at', 'round', 'arm', 'slice', 'slice_arm', 'load_s', ...databaseColumns];

/** Appends a CSV row per arm and sample: the cumulative counters, as the server shows them at that moment. */
export function createDatabaseSampler({
  file,
  intervalMs,
  reader,
  onWarning,
  nowMs = () => performance.now(),
}: SamplerOptions): DatabaseSampler {
  const csv = openSamplesCsv(file, columns);
  let timer: NodeJS.Timeout | undefined;
  let round = 0;
  let arms: readonly SampledArm[] = [];
  let marked: MarkedSlice | null = null;
  /** The turn under way: since when, and how much of its load stands in rows already. */
  let turn: { readonly arm: string; readonly fromMs: number; takenMs: number } | null = null;
  const loadMs = new Map<string, number>();
  /** In seconds, since the arm's last row. */
  const takeLoad = (arm: string, atMs: number): number => {
    const ms = loadMs.get(arm) ?? 0;
    loadMs.delete(arm);
    const underWayMs = turn?.arm === arm ? Math.max(0, atMs - turn.fromMs - turn.takenMs) : 0;
    if (turn?.arm === arm) turn.takenMs += underWayMs;
    return Math.round(ms + underWayMs) / 1000;
  };
  let sampling: Promise<void> = Promise.resolve();

  const sample = async (): Promise<void> => {
    try {
      const at = new Date().toISOString();
      const [atMs, underLoad] = [nowMs(), marked];
      const counters = await reader.read(arms.map(({ database }) => database));
      for (const { arm, database } of arms) {
        const row = counters.get(database);
        if (row)
          csv.write([
            at,
            round,
            arm,
            underLoad?.slice ?? '',
            underLoad?.arm ?? '',
            takeLoad(arm, atMs),
            ...databaseColumns.map((name) => row[name]),
          ]);
      }
    } catch (error) {
      onWarning({ kind: 'samples-ended', cause: messageOf(error) });
      clearInterval(timer);
    }
  };
  const next = (): Promise<void> => {
    sampling = sampling.then(sample);
    return sampling;
  };
  return {
    start(newRound, newArms) {
      round = newRound;
      arms = newArms;
      loadMs.clear();
      turn = null;
      clearInterval(timer);
      timer = setInterval(next, intervalMs);
      void next();
    },
    mark(slice) {
      marked = slice;
      turn = slice === null ? null : { arm: slice.sampledAs, fromMs: nowMs(), takenMs: 0 };
    },
    addLoad(arm, ms) {
      const takenMs = turn?.arm === arm ? turn.takenMs : 0;
      turn = null;
      loadMs.set(arm, (loadMs.get(arm) ?? 0) + Math.max(0, ms - takenMs));
    },
    async stop() {
      clearInterval(timer);
      if (arms.length > 0) await next();
      arms = [];
    },
    async close() {
      clearInterval(timer);
      await csv.close();
    },
  };
}
