import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgsweepError } from '../../src/base/errors.ts';
import { completeRounds, openJournal, readJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { startCli } from '../cli/cli.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { type Context, createTally, EXIT_CODES, type PartResult, range } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

const { run, records } = fixtureJournal({
  variants: ['a', 'b'],
  control: 'a',
  connections: [1, 25],
  rounds: 6,
  requestsPerSecond: 20,
});

/** That of the journal, which no disk that it is to fill may be as large as. */
const JOURNAL_KILOBYTES = JSON.stringify([run, ...records]).length / 1024;

const SAID = /disk is full|disk of .* is full|could not be written/;
/** Which of ten disks are filled by a sweep, and which is that of a sweep's Postgres; the others are by a journal alone. */
const BY_SWEEP = [4, 9];
const OF_POSTGRES = [7];
/** The server and the copies of its database need some 150 MB. */
const POSTGRES_KILOBYTES = 600 * 1024;

/** Disks that get full, each at another place: a journal's, a run's, and that of the Postgres of a run. */
export async function fullDisks(context: Context): Promise<PartResult> {
  const { from, to, random, folder } = context;
  const tally = createTally();
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  // As root, Postgres runs as a user that has to get there.
  chmodSync(folder, 0o711);
  const why = whyNoDisk(disk);
  if (why !== null) return tally.result(why);
  for (const i of range(from, to)) {
    const kind = BY_SWEEP.includes(i % 10) ? 'a sweep' : OF_POSTGRES.includes(i % 10) ? 'a Postgres' : 'a journal';
    // What a short sweep writes before its last round, or less than the journal of the fixture.
    const kilobytes =
      kind === 'a Postgres'
        ? POSTGRES_KILOBYTES
        : kind === 'a sweep'
          ? random.integer(40, 160)
          : random.integer(8, Math.floor(0.8 * JOURNAL_KILOBYTES));
    mount(disk, kilobytes);
    try {
      const faults =
        kind === 'a Postgres'
          ? await fillUnderPostgres(disk, join(folder, `full-postgres-${i}`), random.integer(3000, 25_000))
          : kind === 'a sweep'
            ? await fillBySweep(disk)
            : fillByJournal(join(disk, 'journal.jsonl'), disk);
      for (const fault of faults) tally.fault(`disk ${i} of ${kilobytes} KiB, ${kind}: ${fault}`);
      tally.count(kind);
    } finally {
      execFileSync('umount', ['--lazy', disk]);
    }
  }
  return tally.result();
}

function fillByJournal(file: string, disk: string): string[] {
  const writer = openJournal(file);
  const all: JournalRecord[] = [run, ...records];
  let failures = 0;
  for (let i = 0; i < all.length; i++) {
    const record = all[i];
    if (record === undefined) break;
    try {
      writer.append(record);
    } catch (error) {
      if (!(error instanceof PgsweepError) || error.code !== 'disk') return [`it ended by ${error}`];
      if (++failures > 1) return ['there is room again, and nothing can be written'];
      if (i > 0 && readJournal(file).warnings.length > 0) return ['what has no room is half in the file'];
      remount(disk);
      i--;
    }
  }
  writer.close();
  const journal = readJournal(file);
  if (failures === 0) return ['the disk was never full'];
  const isWhole = JSON.stringify([...journal.records]) === JSON.stringify(records) && journal.warnings.length === 0;
  return isWhole ? [] : ['the journal is not what was written'];
}

async function fillBySweep(disk: string): Promise<string[]> {
  const folder = join(disk, 'run');
  const { code, out, err } = await startCli(sweepArgs(folder)).done;
  if (code === 0) return ['the disk was never full'];
  const faults = code === 3 ? [] : [`exit code ${code}: ${err}`];
  if (!SAID.test(err)) faults.push(`nobody says that the disk is full: ${err}`);
  remount(disk);
  return [...faults, ...(await resumeFaults(folder, out))];
}

/** The disk of the server gets full while it is at work; there is room again before the run is gone on with. */
async function fillUnderPostgres(disk: string, folder: string, afterMs: number): Promise<string[]> {
  const env = { PGSWEEP_TMP: disk };
  const sweep = startCli(sweepArgs(folder), { env });
  await Promise.race([sleep(afterMs), sweep.done]);
  const filler = join(disk, 'filler');
  fill(filler);
  const { code, out, err } = await sweep.done;
  rmSync(filler);
  const faults = EXIT_CODES.includes(code ?? -1) ? [] : [`exit code ${code} after ${afterMs} ms: ${err}`];
  // A run whose rounds were all done by then has a report, fit or not.
  if (code !== 0 && /^error: /m.test(err) && !SAID.test(err)) faults.push(`nobody says that the disk is full: ${err}`);
  return [...faults, ...(await resumeFaults(folder, out))];
}

function fill(file: string): void {
  const chunk = Buffer.alloc(64 * 1024);
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, chunk);
  } catch {
    // Now it is full.
  } finally {
    closeSync(descriptor);
  }
}

/** What is wrong with a run that had no room, once it is gone on with where there is some. */
async function resumeFaults(folder: string, out: string): Promise<string[]> {
  const journal = join(folder, 'journal.jsonl');
  if (!existsSync(journal) || readFileSync(journal).length === 0) return [];
  const rounds = completeRounds(readJournal(journal));
  const faults = rounds > 0 && out === '' ? [`${rounds} finished rounds, and no report`] : [];
  const resumed = await startCli(['sweep', '--resume', folder, '--rounds', '3', '--quiet']).done;
  if (resumed.code !== 0 && resumed.code !== 3) faults.push(`cannot be resumed (${resumed.code}): ${resumed.err}`);
  else if (completeRounds(readJournal(journal)) !== 3) faults.push(`resumed, it has not all rounds: ${resumed.err}`);
  return faults;
}

function whyNoDisk(disk: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a small disk takes root on Linux';
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]).status !== 0)
    return 'no tmpfs can be mounted';
  execFileSync('umount', [disk]);
  rmSync(join(disk, 'journal.jsonl'), { force: true });
  return null;
}

function mount(disk: string, kilobytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk]);
}

function remount(disk: string): void {
  execFileSync('mount', ['-o', 'remount,size=64m', disk]);
}
