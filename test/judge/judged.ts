import { type Summary, summarize } from '../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal } from './journal-fixture.ts';

const summaries = new Map<string, Summary>();

/**
 * The summary of a fixture's journal, judged once for all tests of this process: options that read alike are the same. So
 * their functions must know nothing but their argument and the other options.
 */
export function judged(options: FixtureOptions = {}): Summary {
  const key = JSON.stringify(options, (_, value: unknown) => (typeof value === 'function' ? String(value) : value));
  const summary = summaries.get(key) ?? summarize(fixtureJournal(options));
  summaries.set(key, summary);
  return summary;
}
