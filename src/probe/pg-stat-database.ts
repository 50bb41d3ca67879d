import { messageOf } from '../base/errors.ts';
import { databaseColumns } from '../journal/records.ts';
import type { CountersReader } from './database-counters.ts';
import { openSamplesCsv } from './samples-csv.ts';

/** An arm whose database is sampled. */
export interface SampledArm {
  readonly arm: string;
  readonly database: string;
}

/** Samples the arms' pg_stat_database rows while they live. */
export interface DatabaseSampler {
  start(round: number, arms: readonly SampledArm[]): void;
  /** Says which slice is under load, or null between slices; it stands in the samples. */
  mark(slice: { readonly slice: number; readonly arm: string } | null): void;
  /** Takes a last sample and stops. */
  stop(): Promise<void>;
  /** Ends the file. */
  close(): Promise<void>;
}

export interface SamplerOptions {
  readonly file: string;
  readonly intervalMs: number;
  readonly reader: CountersReader;
  readonly onWarning: (message: string) => void;
}

const columns = ['at', 'round', 'arm', 'slice', 'slice_arm', ...databaseColumns];

/** Appends a CSV row per arm and sample: the cumulative counters, as the server shows them at that moment. */
export function createDatabaseSampler({ file, intervalMs, reader, onWarning }: SamplerOptions): DatabaseSampler {
  const csv = openSamplesCsv(file, columns);
  let timer: NodeJS.Timeout | undefined;
  let round = 0;
  let arms: readonly SampledArm[] = [];
  let marked: { readonly slice: number; readonly arm: string } | null = null;
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
            ...databaseColumns.map((name) => row[name]),
          ]);
      }
    } catch (error) {
      onWarning(`pg_stat_database could not be sampled: ${messageOf(error)}`);
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
      clearInterval(timer);
      timer = setInterval(next, intervalMs);
      void next();
    },
    mark(slice) {
      marked = slice;
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
