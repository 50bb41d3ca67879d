import { MOST_SHARDS, type Shard } from '../run/shard-records.ts';
import { provenanceShape as provenance } from './provenance-shape.ts';
import { count, fields, list, type Shape, text } from './shape.ts';

/** A whole number from 1 to so many. */
const place: Shape = (value) =>
  count(value) === null && (value as number) >= 1 && (value as number) <= MOST_SHARDS
    ? null
    : `a whole number from 1 to ${MOST_SHARDS}`;
/** Which machine it is. */
export const machineShape = fields({ id: text, name: text });
const fieldsOfShard = fields({ index: place, count: place, machine: machineShape });

/** Which share of a plan a run is. */
export const shardShape: Shape = (value) => {
  const why = fieldsOfShard(value);
  if (why !== null) return why;
  const { index, count: of } = value as Shard;
  return index <= of ? null : `index: at most ${of}`;
};

/** How a journal was merged. */
export const mergedShape = fields({
  shards: place,
  machines: list(fields({ name: text, shards: list(place, 1, MOST_SHARDS), provenance }), 1, MOST_SHARDS),
});
