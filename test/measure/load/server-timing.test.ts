import { describe, expect, it } from 'vitest';
import { parseServerTiming } from '../../../src/measure/load/server-timing.ts';

const read = (header: string): [string, number][] =>
  parseServerTiming(header).map(({ name, durationMs }) => [name, durationMs]);

describe('the header Server-Timing', () => {
  // The examples of https://www.w3.org/TR/server-timing/ and the cases of its parsing algorithm.
  it.each<[string, [string, number][]]>([
    [
      'miss, db;dur=53, app;dur=47.2',
      [
        ['db', 53],
        ['app', 47.2],
      ],
    ],
    ['customView, dc;desc=atl', []],
    ['cache;desc="Cache Read";dur=23.2', [['cache', 23.2]]],
    ['total;dur=123.4', [['total', 123.4]]],
    ['total ; dur = 123.4 ', [['total', 123.4]]],
    [
      'total;DUR=1;desc=a,b;dur=2',
      [
        ['total', 1],
        ['b', 2],
      ],
    ],
    ['db;dur="53"', [['db', 53]]],
    ['db;dur=1;dur=2', [['db', 1]]],
    ['db;desc="a, b; dur=9";dur=4', [['db', 4]]],
    [
      'db;desc="\\"x\\", y";dur=4, app;dur=5',
      [
        ['db', 4],
        ['app', 5],
      ],
    ],
    // A quote that is never closed reaches to the end.
    ['db;dur=5;desc="x;dur=6, app;dur=7', [['db', 5]]],
    ['db;dur=5;desc=4K" x, app;dur=7', [['db', 5]]],
    ['db;desc="x;dur=6', []],
    ['db;dur="53', [['db', 53]]],
    ['db;dur=5;desc="x\\', [['db', 5]]],
    ['db;dur=5"3', [['db', 5]]],
    ['db;dur=', []],
    ['db;dur', []],
    ['db;dur=soon', []],
    ['db;dur=-1', []],
    ['db;dur=1e19, a;dur=86400001, b;dur=1e-200, c;dur=86400000', [['c', 86_400_000]]],
    ['db;;dur=3', [['db', 3]]],
    [',, db;dur=3,', [['db', 3]]],
    ['', []],
    ['=, db;dur=3', []],
  ])('%s', (header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  it('is read in time that grows with its length, whatever stands in it', () => {
    const start = process.cpuUsage();
    read(`${'a;'.repeat(20_000)}"${'b;="'.repeat(20_000)}`);
    read(`db;dur=5;desc=${'a'.repeat(40)}"`);
    read(`db;desc="${' ; a '.repeat(20_000)}`);
    read(`db; ${' '.repeat(40_000)}a ${' '.repeat(40_000)}"`);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});
