import { expect, test } from 'vitest';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** Of b `create post` takes a third longer; this many other kinds take as long as they did. */
const kinds = (others: number): FixtureOptions => ({
  ...small,
  noise: 0.02,
  rounds: 8,
  requests: ({ variant }) => ({
    'create post': { share: 0.2, latency: variant === 'b' ? 1.33 : 1 },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, kind) => [`read ${kind}`, { share: 0.04, latency: 1 }]).slice(-others),
    ),
  }),
});

const [two, many] = [kinds(1), kinds(20)].map((options) => summarize(fixtureJournal(options))) as [Summary, Summary];

test('kinds of request are one family: each is told by its own name, and the more there are, the wider its interval is', () => {
  const [alone, among] = [two, many].map(({ requests }) =>
    requests.comparisons.find(({ request, variant }) => request === 'create post' && variant === 'b'),
  );
  for (const one of [alone, among]) {
    expect(one?.verdict).toBe('higher');
    expect(one?.deltaPercent).toBeGreaterThan(25);
  }
  const width = (interval: readonly [number, number] | null | undefined) => (interval?.[1] ?? 0) - (interval?.[0] ?? 0);
  expect(width(among?.interval)).toBeGreaterThan(1.2 * width(alone?.interval));
  expect(many.requests.comparisons).toHaveLength(21);
  const others = many.requests.comparisons.filter(({ request }) => request !== 'create post');
  expect(others.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower')).toEqual([]);
});

test('they have an error of their own: what other metrics are told by does not depend on how many there are', () => {
  expect(many.comparisons.map(({ interval, verdict }) => [interval, verdict])).toEqual(
    two.comparisons.map(({ interval, verdict }) => [interval, verdict]),
  );
  expect(many.comparisons.length).toBeGreaterThan(5);
});
