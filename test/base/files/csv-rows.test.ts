import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsvRows } from '../../../src/base/files/csv-rows.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-csv-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'rows.csv');
  writeFileSync(file, text);
  return file;
}

describe('rows of a CSV file', () => {
  it('are told by the names in its first line; quotes, commas, empty lines and a byte order mark are as in RFC 4180', () => {
    const text = '\uFEFFname, e mail\r\nanna,"a@example.com"\r\n\r\n"Bo, jr.","say ""hi"""\r\n';
    expect(readCsvRows(fileOf(text))).toEqual({
      columns: ['name', 'e mail'],
      rows: [
        { name: 'anna', 'e mail': 'a@example.com' },
        { name: 'Bo, jr.', 'e mail': 'say "hi"' },
      ],
    });
  });

  it.each([
    ['', 'it is empty'],
    ['a,b\n', 'it has no rows'],
    ['a,a\n1,2\n', 'the column a stands twice'],
    ['a,b\n1\n', /^it is no CSV: .*line 2/],
    ['a\n"1\n', 'it is no CSV'],
  ])('cannot be read from %j', (text, why) => {
    expect(() => readCsvRows(fileOf(text))).toThrow(why);
  });

  it('cannot be read from a file that is not there', () => {
    expect(() => readCsvRows(join(folder, 'none.csv'))).toThrow('it cannot be read');
  });
});
