import { seedOf } from '../../../src/base/random.ts';
import type { JournalRecord, RunRecord } from '../../../src/journal/records.ts';
import { sessionFacts } from '../../../src/judge/between-runs/session-facts.ts';
import type { SessionFacts } from '../../../src/judge/between-runs/types.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

export interface SessionOptions extends FixtureOptions {
  /** When it began, in hours after the first. */
  readonly hour?: number;
  readonly changed?: (run: RunRecord) => RunRecord;
}

/** A simulated session of a against b, with noise of its own; its name is its seed. Without A/A, by which one of twenty would be unfit. */
export function sessionJournal(
  name: string,
  { hour = 0, changed = (run) => run, ...options }: SessionOptions = {},
): FixtureJournal {
  const { run, records, warnings } = fixtureJournal({
    ...small,
    repeat: false,
    requestsPerSecond: 10,
    seed: seedOf(name) % 1e6,
    ...options,
  });
  const later = (text: string): string => new Date(Date.parse(text) + hour * 3_600_000).toISOString();
  const moved = records.map((record): JournalRecord => {
    if (record.type === 'end') return { ...record, at: later(record.at) };
    return record.type === 'round' || record.type === 'slice'
      ? { ...record, startedAt: later(record.startedAt) }
      : record;
  });
  return { run: changed({ ...run, id: name, startedAt: later(run.startedAt) }), records: moved, warnings };
}

/** The same, judged. */
export function session(name: string, options?: SessionOptions): SessionFacts {
  return sessionFacts(name, sessionJournal(name, options));
}

/** The log effect of b, and of the machine on all arms. */
export function effects({
  b = 0,
  machine = 0,
}: {
  readonly b?: number;
  readonly machine?: number;
}): NonNullable<FixtureOptions['effect']> {
  return ({ variant }) => machine + (variant === 'b' ? b : 0);
}
