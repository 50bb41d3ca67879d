import type { JournalRecord, RunRecord } from '../../../../src/journal/records.ts';
import type { ShardRecord } from '../../../../src/journal/run/shard-records.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from '../../journal-fixture.ts';

export interface ShardsOptions extends FixtureOptions {
  readonly count: number;
  /** The machine of a shard; each has one of its own where it is left out. */
  readonly machineOf?: (index: number) => string;
}

/** The journal of a run whose rounds are fixed. */
export function plannedJournal({ rounds = 12, ...options }: FixtureOptions): FixtureJournal {
  const { run, records, warnings } = fixtureJournal({ rounds, ...options });
  const scenario = { ...run.scenario, rounds: { min: rounds, max: rounds, budgetMs: Number.MAX_SAFE_INTEGER } };
  return { run: { ...run, scenario }, records, warnings };
}

/** The same rounds as the journals of this many shards. */
export function shardJournals({
  count,
  machineOf = (index) => `node-${index}`,
  ...options
}: ShardsOptions): FixtureJournal[] {
  const { run, records, warnings } = plannedJournal(options);
  return Array.from({ length: count }, (_, place) => {
    const index = place + 1;
    const name = machineOf(index);
    const shard: ShardRecord = { index, count, machine: { id: `id of ${name}`, name } };
    return {
      run: { ...run, id: `${run.id}-${index}`, shard },
      records: records.filter((record) => !('round' in record) || (record.round - index) % count === 0),
      warnings,
    };
  });
}

/** A journal with another head. */
export function changed(journal: FixtureJournal, change: (run: RunRecord) => RunRecord): FixtureJournal {
  return { ...journal, run: change(journal.run) };
}

/** A journal without some of its records. */
export function without(journal: FixtureJournal, isLost: (record: JournalRecord) => boolean): FixtureJournal {
  return { ...journal, records: journal.records.filter((record) => !isLost(record)) };
}
