import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Stringifier, stringify } from 'csv-stringify';
import { csvOptions } from '../../base/files/csv-text.ts';
import { asDiskError } from '../../base/files/disk.ts';
import { fileMode } from '../../base/files/own-files.ts';
import { removeTornLine } from '../../base/files/torn-line.ts';

/** A CSV file that samples are appended to. */
export interface SamplesCsv {
  write(row: readonly (string | number | null)[]): void;
  /** Ends the file. Rejects where it could not be written whole, as on a full disk. */
  close(): Promise<void>;
}

/** Opens the file for appending, with its header where it is new. A last row that a kill cut off is removed. Throws as `asDiskError`. */
export function openSamplesCsv(file: string, columns: readonly string[]): SamplesCsv {
  // A resumed run continues the file, which already has its header.
  const isNew = removeTornLine(file);
  const csv: Stringifier = stringify(csvOptions);
  const written = pipeline(csv, createWriteStream(file, { flags: 'a', mode: fileMode() }));
  // Heard by whoever closes the file; a full disk must not end the bench before that.
  written.catch(() => {});
  if (isNew) csv.write(columns);
  return {
    write: (row) => void csv.write(row),
    async close() {
      csv.end();
      try {
        await written;
      } catch (cause) {
        throw asDiskError(cause, file);
      }
    },
  };
}

/** The arm that a sample belongs to; between turns, a sample of the machine belongs to none. */
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

/** Opens `<name>.csv`; a resumed run continues the file, which already has its header. */
export function openSamplesFile(folder: string, name: string, columns: readonly string[]): SamplesFile {
  const csv = openSamplesCsv(join(folder, `${name}.csv`), ['at', 'round', 'slice', 'arm', ...columns]);
  return {
    add: (arm, at, row) => csv.write([at.toISOString(), arm.round, arm.slice, arm.arm, ...row]),
    close: () => csv.close(),
  };
}
