import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpKindOf } from '../../../src/measure/dataset/dump-kind.ts';
import { dumpFingerprint } from '../../../src/measure/dataset/load-dataset.ts';

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
  header.write(member.length.toString(8).padStart(11, '0'), 124);
  return Buffer.concat([header, member, Buffer.alloc(512 - (member.length % 512) + 1024)]);
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

  it('and one that is cut off is refused as that, where pg_restore would say nothing', () => {
    const whole = tar(Buffer.concat([archive(14), Buffer.alloc(2000, 'x')]));
    expect(dumpKindOf(file(whole))).toMatchObject({ format: 'tar' });
    for (const length of [1024, 2000, 2600]) {
      expect(() => dumpKindOf(file(whole.subarray(0, length)))).toThrow(`is not whole: it has ${length} bytes`);
    }
    // Of 8 GiB and more.
    const large = tar(archive(14));
    large.writeUInt8(0x80, 124);
    large.writeUIntBE(9 * 2 ** 30, 130, 6);
    expect(() => dumpKindOf(file(large))).toThrow('is not whole');
    const inFolder = join(folder, 'without-rows');
    mkdirSync(inFolder);
    writeFileSync(join(inFolder, 'toc.dat'), archive(15));
    writeFileSync(join(inFolder, '3346.dat.gz'), '');
    expect(() => dumpKindOf(inFolder)).toThrow('is not whole: its 3346.dat.gz is empty');
    const rows = gzipSync('1\ta\n2\tb\n\\.\n\n\n');
    writeFileSync(join(inFolder, '3346.dat.gz'), rows);
    expect(dumpKindOf(inFolder)).toMatchObject({ format: 'directory' });
    for (const length of [5, 20, rows.length - 1]) {
      writeFileSync(join(inFolder, '3346.dat.gz'), rows.subarray(0, length));
      expect(() => dumpKindOf(inFolder)).toThrow('is not whole: its 3346.dat.gz is damaged or ends early');
    }
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
