import { expect, it } from 'vitest';
import { shortName } from '../../../src/report/words/short-name.ts';

it('a long name of a grid is told by what is not as in the control, any other by its beginning', () => {
  const control = 'loans=10, release=5.5.0, log=WARNING';
  const short = (variant: string): string => shortName(variant, { variants: [control, variant], control }, 28);
  expect(short('loans=200, release=5.5.0, log=WARNING')).toBe('loans=200');
  expect(short('loans=200, release=5.5.0, log=INFO')).toBe('loans=200, log=INFO');
  expect(short('loans=200, release=5.6.0, log=INFO')).toBe('loans=200, release=5.6.0, l…');
  expect(short('loans=10, log=INFO')).toBe('loans=10, log=INFO');
  const many = Array.from({ length: 8 }, (_, i) => `setting_${i}=16MB`).join(', ');
  const [one = '', other = ''] = ['jit=on', 'jit=off'].map((last) => `${many}, ${last}`);
  const cut = [one, other].map((name) =>
    shortName(name, { variants: ['control', one, other], control: 'control' }, 28),
  );
  expect(cut.map((name) => [name.length <= 28, name.split('jit=')[1]])).toEqual([
    [true, 'on'],
    [true, 'off'],
  ]);
  expect(short('the branch of the pool, again and again')).toBe('the branch of the pool, aga…');
  expect(short(control)).toBe('loans=10, release=5.5.0, lo…');
});
