import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { writeFileAtomic } from '../../../src/base/files/atomic-file.ts';
import { asDiskError, asErrorOfFullDisk } from '../../../src/base/files/disk.ts';
import { openJournal } from '../../../src/journal/journal.ts';
import { openSamplesCsv } from '../../../src/measure/probe/samples-file.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { needs } from '../../support/needs.ts';

const linux = await needs('linux');

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

describe('what a full disk answers', () => {
  it('is an error of the environment that names the file, and nothing else is', () => {
    const error = asDiskError(full, 'run/journal.jsonl');
    expect(error).toBeInstanceOf(PgsweepError);
    expect(error).toMatchObject({
      message: 'run/journal.jsonl could not be written: its disk is full',
      exitCode: 3,
      cause: full,
    });
    const other = new Error('EACCES: permission denied');
    expect(asDiskError(other, 'file')).toBe(other);
  });

  it.each([
    ['EACCES', 'you may not write there'],
    ['EPERM', 'you may not write there'],
    ['ENOENT', 'its folder is not there'],
    ['ENOTDIR', 'a part of its path is a file, not a folder'],
    ['EISDIR', 'there is a folder with its name'],
  ])('is another error than that of a place: %s', (code, why) => {
    const cause = Object.assign(new Error(`${code}: ...`), { code });
    const message = `ci/history.jsonl could not be written: ${why}`;
    expect(asDiskError(cause, 'ci/history.jsonl')).toMatchObject({ message, exitCode: 2, cause });
  });

  it('is not said of an error on a disk that has room', () => {
    const error = new Error('the service ended');
    expect(asErrorOfFullDisk(error, [tmpdir(), '/is/not/there'])).toBe(error);
  });
});

describe('/dev/full, which has no room,', { ...linux.orSkip }, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-disk-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('ends the journal', () => {
    const file = join(folder, 'journal.jsonl');
    symlinkSync('/dev/full', file);
    const writer = openJournal(file);
    expect(() => writer.append(fixtureJournal({ rounds: 1 }).run)).toThrow(
      `${file} could not be written: its disk is full`,
    );
    writer.close();
  });

  it('ends samples, at the latest when they are closed', async () => {
    const file = join(folder, 'samples.csv');
    symlinkSync('/dev/full', file);
    const csv = openSamplesCsv(file, ['at', 'value']);
    csv.write(['now', 1]);
    await expect(csv.close()).rejects.toThrow(`${file} could not be written: its disk is full`);
  });
});

it('a file that cannot be written leaves no half of itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-disk-'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => writeFileAtomic(join(folder, 'file', 'below'), 'x')).toThrow(
    'below could not be written: a part of its path is a file',
  );
  expect(readdirSync(folder)).toEqual(['file']);
  rmSync(folder, { recursive: true });
});
