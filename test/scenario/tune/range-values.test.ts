import { describe, expect, it } from 'vitest';
import { valuesBetween } from '../../../src/scenario/tune/range-values.ts';

const values = (...[from, to, also]: Parameters<typeof valuesBetween>): unknown => {
  const found = valuesBetween(from, to, also);
  return typeof found === 'string' ? found : found.values;
};

describe('the values of a range', () => {
  it('are those that a person would write', () => {
    expect(values(1, 100)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100],
    ]);
    expect(values('1MB', '32MB')).toEqual([
      '1MB',
      '1536kB',
      '2MB',
      '3MB',
      '4MB',
      '6MB',
      '8MB',
      '12MB',
      '16MB',
      '24MB',
      '32MB',
    ]);
    expect(values('512MB', '2GB')).toEqual(['512MB', '768MB', '1GB', '1536MB', '2GB']);
    expect(values('1.0', '4.0')).toEqual(['1.0', 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, '4.0']);
    expect(values('100ms', '2s')).toEqual(['100ms', '150ms', '200ms', '300ms', '500ms', '700ms', '1s', '1500ms', '2s']);
  });

  it('have both ends and the value of the control among them, however odd', () => {
    expect(values(3, 17, 11)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17]);
    expect(values('1.0', '4.0', 4)).toContain(4);
    expect(values('1.0', '4.0', 4)).not.toContain('4.0');
    expect(values('5MB', '20MB')).toEqual(['5MB', '6MB', '8MB', '12MB', '16MB', '20MB']);
  });

  it('lie by ratio, from 0 to 1', () => {
    const found = valuesBetween(1, 100);
    const placeOf = (value: number): number | undefined =>
      typeof found === 'string' ? undefined : found.places[found.values.indexOf(value)];
    expect([placeOf(1), placeOf(10), placeOf(100)]).toEqual([0, 0.5, 1]);
  });

  it('are refused with what was expected', () => {
    expect(values(100, 1)).toBe('expected the smaller end first');
    expect(values(0, 8)).toMatch(/^expected a range that begins above 0/);
    expect(values('1MB', '3s')).toMatch(/^expected both ends in units of one kind/);
    expect(values('1 parsec', 3)).toMatch(/^expected two numbers/);
    expect(values('1parsec', '3parsec')).toMatch(/^expected a unit/);
  });
});
