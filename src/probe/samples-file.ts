import { join } from 'node:path';
import type { ProbedArm } from './probe.ts';
import { openSamplesCsv } from './samples-csv.ts';

/** A probe's samples in time, as CSV: each row begins with `at`, `round`, `slice`, `arm`. */
export interface SamplesFile {
  add(arm: ProbedArm, at: Date, row: readonly (string | number | null)[]): void;
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
