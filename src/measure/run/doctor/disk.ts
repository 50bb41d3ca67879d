import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { freeBytesOf } from '../../../base/files/disk.ts';
import { type Finding, gibOf, ok, problem, warning } from '../../finding.ts';

const SYNCS = 50;
const PAGE_BYTES = 8192;
const SLOW_SYNC_MS = 20;
/** max_wal_size is 8 GB, of which a short run uses little; copies of a large template come on top. */
const LEAST_FREE_BYTES = 2 ** 30;
const ENOUGH_FREE_BYTES = 10 * 2 ** 30;

/** The disk under the temporary folder, which is where Postgres's data will be. */
export function examineDisk(folder = process.env.PGSWEEP_TMP || tmpdir()): Finding[] {
  const bytes = freeBytesOf(folder);
  if (bytes !== null) return [space(folder, bytes), syncSpeed(folder)];
  return [problem('disk space', `there is no folder ${folder}`, 'PGSWEEP_TMP must be a folder that is there.')];
}

function space(folder: string, bytes: number): Finding {
  const found = `${gibOf(bytes)} free in ${folder}`;
  const advice = 'Every arm has a copy of the database there: free some, or point PGSWEEP_TMP to a larger disk.';
  if (bytes < LEAST_FREE_BYTES) return problem('disk space', found, advice);
  return bytes < ENOUGH_FREE_BYTES ? warning('disk space', found, advice) : ok('disk space', found);
}

function syncSpeed(folder: string): Finding {
  let times: number[];
  try {
    times = timeSyncs(folder);
  } catch (error) {
    return problem(
      'disk fsync',
      messageOf(error),
      `Postgres's data goes to ${folder}: it must be possible to write there.`,
    );
  }
  const median = times[SYNCS >> 1] ?? 0;
  const p90 = times[Math.floor(0.9 * SYNCS)] ?? 0;
  const found = `${msOf(median)} (median of ${SYNCS}), 90 % within ${msOf(p90)}`;
  if (median <= SLOW_SYNC_MS) return ok('disk fsync', found);
  return warning(
    'disk fsync',
    found,
    'Every committed write waits for one, so that writes measure the disk. Point PGSWEEP_TMP to a local SSD.',
  );
}

/** As Postgres commits: append a page, then fdatasync. Ascending. */
function timeSyncs(folder: string): number[] {
  const own = mkdtempSync(join(folder, 'pgsweep-doctor-'));
  try {
    const file = openSync(join(own, 'sync'), 'w');
    const page = Buffer.alloc(PAGE_BYTES, 1);
    const times = Array.from({ length: SYNCS }, () => {
      const start = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - start;
    });
    closeSync(file);
    return times.sort((a, b) => a - b);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function msOf(ms: number): string {
  return `${Number(ms.toPrecision(2))} ms`;
}
