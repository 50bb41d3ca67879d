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

/** Samples the arms' pg_stat_database rows while they live. */
export interface DatabaseSampler {
  start(round: number, arms: readonly SampledArm[]): void;
  /** Says whose turn it is, or null between turns; it stands in the samples. */
  mark(slice: { readonly slice: number; readonly arm: string } | null): void;
  /** Says that an arm has had so much load, at the end of a turn: a row tells how much there was since the row before. */
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
  readonly onWarning: ProbeContext['onWarning'];
}

const columns = ['at', 'round', 'arm', 'slice', 'slice_arm', 'load_s', ...databaseColumns];

/** Appends a CSV row per arm and sample: the cumulative counters, as the server shows them at that moment. */
export function createDatabaseSampler({ file, intervalMs, reader, onWarning }: SamplerOptions): DatabaseSampler {
  const csv = openSamplesCsv(file, columns);
  let timer: NodeJS.Timeout | undefined;
  let round = 0;
  let arms: readonly SampledArm[] = [];
  let marked: { readonly slice: number; readonly arm: string } | null = null;
  const loadMs = new Map<string, number>();
  /** In seconds, since the arm's last row. */
  const takeLoad = (arm: string): number => {
    const ms = loadMs.get(arm) ?? 0;
    loadMs.delete(arm);
    return Math.round(ms) / 1000;
  };
  let sampling: Promise<void> = Promise.resolve();

  const sample = async (): Promise<void> => {
    try {
      const at = new Date().toISOString();
      const counters = await reader.read(arms.map(({ database }) => database));
      for (const { arm, database } of arms) {
        const row = counters.get(database);
        if (row)
          csv.write([
            at,
            round,
            arm,
            marked?.slice ?? '',
            marked?.arm ?? '',
            takeLoad(arm),
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
      clearInterval(timer);
      timer = setInterval(next, intervalMs);
      void next();
    },
    mark(slice) {
      marked = slice;
    },
    addLoad(arm, ms) {
      loadMs.set(arm, (loadMs.get(arm) ?? 0) + ms);
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
