import type { Journal } from '../../../journal/journal.ts';
import type { Provenance, RunRecord } from '../../../journal/records.ts';
import type { Machine, ShardRecord } from '../../../journal/run/shard-records.ts';

/** A session in which some of a shard's rounds were made: the shard may have been resumed, also elsewhere. */
export interface Sitting {
  readonly machine: Machine;
  readonly provenance: Provenance;
  readonly secrets: RunRecord['secrets'];
  /** How many it completed. */
  readonly rounds: number;
}

/** The sessions of a shard, in order. Reads its journal once. */
export function sittingsOf({ run, records }: Journal, { machine }: ShardRecord): [Sitting, ...Sitting[]] {
  const others: Sitting[] = [];
  let current: Sitting = { machine, provenance: run.provenance, secrets: run.secrets, rounds: 0 };
  let first: Sitting | null = null;
  const close = (): void => {
    if (first === null) first = current;
    else others.push(current);
  };
  for (const record of records) {
    if (record.type === 'round') current = { ...current, rounds: current.rounds + 1 };
    if (record.type !== 'resume') continue;
    close();
    const { provenance, secrets } = record;
    current = { machine: record.machine ?? current.machine, provenance, secrets, rounds: 0 };
  }
  close();
  return [first ?? current, ...others];
}
