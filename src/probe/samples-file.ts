import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { ProbedArm } from './probe.ts';

/** A probe's samples in time, as CSV: each row begins with `at`, `round`, `slice`, `arm`. */
export interface SamplesFile {
  add(arm: ProbedArm, at: Date, row: readonly (string | number | null)[]): void;
  /** Ends the file. Rejects with what the file system says. */
  close(): Promise<void>;
}

/** Opens `<name>.csv`; a resumed run goes on with the file, which already has its header. */
export function openSamplesFile(folder: string, name: string, columns: readonly string[]): SamplesFile {
  const file = join(folder, `${name}.csv`);
  const isNew = !existsSync(file);
  const csv = stringify();
  const written = pipeline(csv, createWriteStream(file, { flags: 'a' }));
  // Heard by whoever closes the file; a full disk must not end the bench before that.
  written.catch(() => {});
  if (isNew) csv.write(['at', 'round', 'slice', 'arm', ...columns]);
  return {
    add(arm, at, row) {
      csv.write([at.toISOString(), arm.round, arm.slice, arm.arm, ...row]);
    },
    async close() {
      csv.end();
      await written;
    },
  };
}
