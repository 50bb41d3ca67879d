import type { Provenance } from './provenance-record.ts';

/** A plan whose rounds are divided among runs, as the journals of those runs and of the run that they were merged into hold it. */

/** More runs than that are no plan of anybody's. */
export const MOST_SHARDS = 1000;

/** Which share of a plan a run is. */
export interface Shard {
  /** From 1. It has the rounds `index`, `index + count`, ... */
  readonly index: number;
  readonly count: number;
}

/** Where a machine's numbers come from. Runs of the same machine have the same id. */
export interface Machine {
  readonly id: string;
  readonly name: string;
}

export interface ShardRecord extends Shard {
  readonly machine: Machine;
}

/** A machine whose rounds were merged. */
export interface MergedMachine {
  readonly name: string;
  /** By their index, ascending. */
  readonly shards: readonly number[];
  /** That of the first of them. */
  readonly provenance: Provenance;
}

/** How a journal was made from those of shards. Its rounds name their machine by its place here. */
export interface MergedRecord {
  /** How many shards the plan has, missing ones included. */
  readonly shards: number;
  readonly machines: readonly MergedMachine[];
}
