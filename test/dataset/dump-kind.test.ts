import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpFingerprint } from '../../src/dataset/dump-fingerprint.ts';
import { dumpKindOf } from '../../src/dataset/dump-kind.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-dump-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** A file of any name: what it is called says nothing. */
function file(content: string | Buffer): string {
  const path = join(folder, `dump-${files++}.sql`);
  writeFileSync(path, content);
  return path;
}

const archive = (minor: number): Buffer =>
  Buffer.from(['P', 'G', 'D', 'M', 'P'].join('') + String.fromCharCode(1, minor, 0));

/** The header of a tar file's first member, as far as it is looked at, and the member. */
function tar(member: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write('toc.dat', 0);
  header.write('ustar', 257);
  return Buffer.concat([header, member]);
}

describe('a dump is told by its content', () => {
  it('as SQL, gzipped or not', () => {
    expect(dumpKindOf(file('SELECT 1;\n'))).toEqual({ kind: 'sql' });
    expect(dumpKindOf(file(gzipSync('SELECT 1;\n')))).toEqual({ kind: 'sql' });
  });

  it('as an archive with the version of its format', () => {
    expect(dumpKindOf(file(archive(14)))).toEqual({ kind: 'archive', format: 'custom', minor: 14 });
    expect(dumpKindOf(file(tar(archive(16))))).toEqual({ kind: 'archive', format: 'tar', minor: 16 });
    const inFolder = join(folder, 'directory');
    mkdirSync(inFolder);
    writeFileSync(join(inFolder, 'toc.dat'), archive(15));
    expect(dumpKindOf(inFolder)).toEqual({ kind: 'archive', format: 'directory', minor: 15 });
  });

  it.each([
    ['an empty file', '', /is empty/],
    ['a zstd file', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), /is compressed with zstd/],
    ['another tar file', tar(Buffer.from('hello')), /is a tar file whose first member/],
    ['anything else', Buffer.from([1, 2, 0, 3]), /is neither SQL nor what pg_dump writes/],
  ])('and %s is refused with what it is', (_, content, message) => {
    expect(() => dumpKindOf(file(content))).toThrow(message);
  });

  it('and so is a folder that pg_dump has not written', () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    expect(() => dumpKindOf(other)).toThrow(/is a folder without the toc.dat/);
  });
});

describe('the fingerprint of a dump', () => {
  it('is the sha256 of the file', async () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(await dumpFingerprint(file(''))).toBe(empty);
  });

  it('is of all files of a folder, and of what they are called', async () => {
    const [one, other, renamed] = ['one', 'other', 'renamed'].map((name) => join(folder, `print-${name}`));
    for (const each of [one, other, renamed]) mkdirSync(each ?? '');
    for (const each of [one, other]) {
      writeFileSync(join(each ?? '', 'b'), 'two');
      writeFileSync(join(each ?? '', 'a'), 'one');
    }
    writeFileSync(join(renamed ?? '', 'a'), 'one');
    writeFileSync(join(renamed ?? '', 'c'), 'two');
    const prints = await Promise.all([one, other, renamed].map((each) => dumpFingerprint(each ?? '')));
    expect(prints[0]).toBe(prints[1]);
    expect(prints[2]).not.toBe(prints[0]);
  });
});
