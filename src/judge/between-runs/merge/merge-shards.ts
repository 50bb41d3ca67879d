import { createHash } from 'node:crypto';
import { PgsweepError } from '../../../base/errors.ts';
import { groupBy } from '../../../base/group-by.ts';
import type { JournalSoFar } from '../../../journal/journal.ts';
import type { JournalRecord, RunRecord } from '../../../journal/records.ts';
import type { MergedMachine } from '../../../journal/run/shard-records.ts';
import type { ShardRun } from './one-plan.ts';

/**
 * One journal of the complete rounds of all shards, machine after machine; each round says which machine it is from. Going
 * through the records reads the shards' journals. Throws PgsweepError `journal` for a round that is not its shard's.
 */
export function mergedJournal(shards: readonly [ShardRun, ...ShardRun[]]): JournalSoFar {
  const [first] = shards;
  const { shard: _, ...run } = first.journal.run;
  const runs = shards.map(({ journal }) => journal.run);
  const machines = machinesOf(shards);
  const head: RunRecord = {
    ...run,
    id: idOf(runs.map(({ id }) => id)),
    startedAt: runs.map(({ startedAt }) => startedAt).reduce((one, other) => (other < one ? other : one)),
    setUpMs: Math.max(...runs.map(({ setUpMs }) => setUpMs)),
    withoutCounters: runs.find(({ withoutCounters }) => withoutCounters !== null)?.withoutCounters ?? null,
    merged: { shards: first.shard.count, machines: machines.map(({ merged }) => merged) },
  };
  return { run: head, records: { [Symbol.iterator]: () => recordsOf(shards, machines) } };
}

interface MachineOfShards {
  readonly id: string;
  readonly merged: MergedMachine;
}

/** The machines in the order of their first shards. Names that two of them have get a number. */
function machinesOf(shards: readonly ShardRun[]): MachineOfShards[] {
  const names = new Map<string, number>();
  const sittings = shards.flatMap(({ shard, sittings }) => sittings.map((one) => ({ ...one, index: shard.index })));
  return groupBy(sittings, ({ machine }) => machine.id).flatMap((own): MachineOfShards[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { id, name } = first.machine;
    const before = names.get(name) ?? 0;
    names.set(name, before + 1);
    const shardsOfOwn = [...new Set(own.map(({ index }) => index))];
    const named = before === 0 ? name : `${name} (${before + 1})`;
    return [{ id, merged: { name: named, shards: shardsOfOwn, provenance: first.provenance } }];
  });
}

/** The id of a merged run: equal shards give an equal id. */
function idOf(ids: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(ids)).digest('hex');
  return [8, 12, 16, 20, 32].map((end, part) => digest.slice([0, 8, 12, 16, 20][part], end)).join('-');
}

function* recordsOf(shards: readonly ShardRun[], machines: readonly MachineOfShards[]): Generator<JournalRecord> {
  let endedAt = '';
  const places = new Map(machines.map(({ id }, place) => [id, place]));
  for (const run of shards) {
    for (const record of roundsOf(run, places)) {
      if (record.type === 'end') endedAt = record.at > endedAt ? record.at : endedAt;
      else yield record;
    }
  }
  yield { type: 'end', at: endedAt, reason: 'rounds' };
}

/**
 * The records of a shard's complete rounds, each once, and where it ended. An attempt that was begun again is left out.
 */
function* roundsOf({ place, journal, shard }: ShardRun, places: ReadonlyMap<string, number>): Generator<JournalRecord> {
  const seen = new Set<number>();
  let open: JournalRecord[] = [];
  let { id } = shard.machine;
  for (const record of journal.records) {
    // Lengths say where turns hid waits.
    if (record.type === 'end' || record.type === 'probes' || record.type === 'lengths') yield record;
    if (record.type === 'resume') {
      open = [];
      id = record.machine?.id ?? id;
    }
    if (!('round' in record) || record.type === 'lengths' || record.type === 'left') continue;
    if (record.type !== 'round') {
      open.push(record);
      continue;
    }
    const { round } = record;
    requireOwn(round, { place, journal, shard });
    if (!seen.has(round)) {
      yield* open.filter((one) => 'round' in one && one.round === round);
      yield { ...record, machine: places.get(id) ?? 0 };
    }
    seen.add(round);
    open = [];
  }
}

function requireOwn(round: number, { place, journal, shard: { index, count } }: Omit<ShardRun, 'sittings'>): void {
  const { max } = journal.run.scenario.rounds;
  if (round >= index && (round - index) % count === 0 && round <= max) return;
  throw new PgsweepError('journal', `${place}: round ${round} does not belong to shard ${index} of ${count}`, {
    hint: 'Its journal was made by something else than pgsweep sweep --shard.',
  });
}
