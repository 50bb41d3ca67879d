import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PgsweepError } from '../../src/base/errors.ts';
import { completeRounds, openJournal, readJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { fixtureJournal } from '../analysis/journal-fixture.ts';
import { startCli } from '../cli/cli.ts';
import { type Context, createTally, type PartResult } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

const { run, records } = fixtureJournal({
  variants: ['a', 'b'],
  control: 'a',
  connections: [1, 25],
  rounds: 6,
  requestsPerSecond: 20,
});

/** Every fifth disk is filled by a real run, the others by a journal alone, each at another place. */
export async function fullDisks(context: Context): Promise<PartResult> {
  const { size, random, folder } = context;
  const tally = createTally('full disks');
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const why = whyNoDisk(disk);
  if (why !== null) return tally.result(why);
  for (let i = 0; i < size.fullDisks; i++) {
    const isLive = i % 5 === 4;
    // What a short sweep writes before its last round, or the journal of the fixture, which has 120 KiB.
    const kilobytes = isLive ? random.integer(40, 160) : random.integer(8, 100);
    mount(disk, kilobytes);
    try {
      for (const fault of isLive ? await fillBySweep(disk) : fillByJournal(join(disk, 'journal.jsonl'), disk))
        tally.fault(`disk ${i} of ${kilobytes} KiB${isLive ? ', a sweep' : ''}: ${fault}`);
      tally.count(isLive ? 'a sweep' : 'a journal');
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
  const journal = join(folder, 'journal.jsonl');
  if (code === 0) return ['the disk was never full'];
  const faults = code === 3 ? [] : [`exit code ${code}: ${err}`];
  if (!/disk is full|disk of .* is full|could not be written/.test(err))
    faults.push(`nobody says that the disk is full: ${err}`);
  remount(disk);
  if (!existsSync(journal) || readFileSync(journal).length === 0) return faults;
  const rounds = completeRounds(readJournal(journal));
  if (rounds > 0 && out === '') faults.push(`${rounds} finished rounds, and no report`);
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
