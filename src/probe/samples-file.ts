import { join } from 'node:path';
import { openSamplesCsv } from './samples-csv.ts';

/** Whose sample it is; of the machine alone, between turns, nobody's. */
export interface SampledSlice {
  readonly round: number;
  readonly slice: number | '';
  readonly arm: string;
}

/** A probe's samples in time, as CSV: each row begins with `at`, `round`, `slice`, `arm`. */
export interface SamplesFile {
  add(arm: SampledSlice, at: Date, row: readonly (string | number | null)[]): void;
  /** Ends the file. Rejects with what the file system says. */
  close(): Promise<void>;
}

/** Opens `<name>.csv`; a resumed run goes on with the file, which already has its header. */
export function openSamplesFile(folder: string, name: string, columns: readonly string[]): SamplesFile {
  const csv = openSamplesCsv(join(folder, `${name}.csv`), ['at', 'round', 'slice', 'arm', ...columns]);
  return {
    add: (arm, at, row) => csv.write([at.toISOString(), arm.round, arm.slice, arm.arm, ...row]),
    close: () => csv.close(),
  };
}
