import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../src/base/errors.ts';
import { nearest } from '../../src/base/nearest.ts';
import { createCleanup } from '../../src/base/process/cleanup.ts';
import { createRandom, seedOf } from '../../src/base/random.ts';
import { formatDuration, parseDurationMs, parsePercent } from '../../src/base/units.ts';

describe('units', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1.5h', 5_400_000],
    ['10m', 600_000],
    ['5m30s', 330_000],
    ['1h 30min', 5_400_000],
    ['1 s 500 ms', 1500],
    ['30s5m', null],
    ['5m5m', null],
    ['', null],
    [7, null],
    ['90', null],
    ['0', 0],
    ['soon', null],
    ['-5s', null],
    ['5 x', null],
  ])('duration %s is %s', (text, expected) => expect(parseDurationMs(text)).toBe(expected));

  it.each([
    [850, '850 ms'],
    [5200, '5.2 s'],
    [60_000, '1 min'],
    [570_000, '9 min 30 s'],
    [3_900_000, '1 h 05 min'],
  ])('%s ms reads %s', (durationMs, expected) => expect(formatDuration(durationMs)).toBe(expected));

  it('reads percentages', () =>
    expect([parsePercent('5%'), parsePercent(2.5), parsePercent('x')]).toEqual([5, 2.5, null]));
});

describe('random numbers', () => {
  it('are the same for the same seed, on every machine', () => {
    const random = createRandom(42);
    expect(Array.from({ length: 4 }, () => random.integer(0, 999))).toMatchInlineSnapshot(`
      [
        622,
        847,
        928,
        74,
      ]
    `);
    expect(seedOf(1, 2, 'order')).toBe(seedOf(1, 2, 'order'));
    expect(seedOf(1, 23)).not.toBe(seedOf(12, 3));
  });

  it('are spread evenly, and a shuffle keeps all items', () => {
    const random = createRandom('x');
    const drawn = Array.from({ length: 10_000 }, () => random.integer(0, 9));
    for (let digit = 0; digit < 10; digit++) {
      // Binomial with p = 1/10: five standard deviations are 150.
      expect(Math.abs(drawn.filter((value) => value === digit).length - 1000)).toBeLessThan(150);
    }
    expect([...random.shuffle([1, 2, 3, 4, 5])].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(() => random.pick([])).toThrow('no items');
  });
});

describe('the nearest word', () => {
  it('is one that is like it, or none', () => {
    expect(nearest('budgt', ['min', 'max', 'budget'])).toBe('budget');
    expect(nearest('Pool', ['pool'])).toBe('pool');
    expect(nearest('cpu', ['mean_ms', 'service_cpu'])).toBe('service_cpu');
    expect(nearest('p95', ['p50_ms', 'p95_ms'])).toBe('p95_ms');
    expect(nearest('xyzzy', ['min', 'max'])).toBeNull();
    expect(nearest('a', [])).toBeNull();
  });
});

describe('cleaning up', () => {
  it('undoes everything in reverse, also after an error, and returns the errors', async () => {
    const done: number[] = [];
    const cleanup = createCleanup();
    cleanup.add(() => done.push(1));
    cleanup.add(() => {
      throw new Error('two');
    });
    cleanup.add(async () => done.push(3));
    expect(await cleanup.run()).toEqual([new Error('two')]);
    expect(done).toEqual([3, 1]);
    expect(await cleanup.run()).toEqual([]);
  });
});

describe('an error', () => {
  it('knows its exit code and keeps its cause', () => {
    const cause = new Error('why');
    const error = new PgsweepError('stack', 'what', { hint: 'do this', cause });
    expect(error).toMatchObject({ exitCode: 3, hint: 'do this', cause });
    expect(new PgsweepError('scenario', 'x').exitCode).toBe(2);
    expect(new PgsweepError('interrupted', 'x').exitCode).toBe(130);
  });
});
