import { count, fields, list, type Shape, text, type ValueOf } from '../shape.ts';
import { provenance } from './provenance-record.ts';

/** A plan whose rounds are divided among runs, as the journals of those runs and of the run that they were merged into hold it. */

/** Most shards of a plan. */
export const MOST_SHARDS = 1000;

/** A whole number from 1 to this many. */
const place: Shape<number> = (value) =>
  count(value) === null && (value as number) >= 1 && (value as number) <= MOST_SHARDS
    ? null
    : `a whole number from 1 to ${MOST_SHARDS}`;

const share = {
  /** From 1. It has the rounds `index`, `index + count`, ... */
  index: place,
  count: place,
};
/** The share of a plan that a run has. */
export interface Shard extends ValueOf<typeof shard> {}
const shard = fields(share);

/** Where a machine's numbers come from. Runs of the same machine have the same id. */
export interface Machine extends ValueOf<typeof machine> {}
export const machine = fields({ id: text, name: text });

const anyShard = fields({ ...share, machine });
export interface ShardRecord extends ValueOf<typeof anyShard> {}
export const shardRecord: Shape<ShardRecord> = (value) => {
  const why = anyShard(value);
  if (why !== null) return why;
  const { index, count: of } = value as ShardRecord;
  return index <= of ? null : `index: at most ${of}`;
};

/** A machine whose rounds were merged. */
export interface MergedMachine extends ValueOf<typeof mergedMachine> {}
const mergedMachine = fields({
  name: text,
  /** By their index, ascending. */
  shards: list(place, 1, MOST_SHARDS),
  /** From the first of them. */
  provenance,
});

/** How a journal was made from those of shards. Its rounds name their machine by its place here. */
export interface MergedRecord extends ValueOf<typeof mergedRecord> {}
export const mergedRecord = fields({
  /** How many shards the plan has, missing ones included. */
  shards: place,
  machines: list(mergedMachine, 1, MOST_SHARDS),
});
