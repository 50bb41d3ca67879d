import type { FixtureOptions } from './journal-fixture.ts';

/** Four variants against a control, of which one fails every request: all its slices are discarded. */
export const failing: FixtureOptions = {
  variants: ['a', 'b', 'c', 'd', 'e'],
  control: 'a',
  connections: [1, 25],
  question: 'changes',
  failures: ({ variant }, requests) => (variant === 'e' ? { statuses: { 500: requests } } : {}),
  voided: ({ variant }) => (variant === 'e' ? ['failed requests'] : []),
};
