import { someLimits } from '../capacity/capacity-spec.ts';
import { count, either, fields, flag, list, number, oneOf, optional, text, type ValueOf } from '../shape.ts';

/** A factor of a search for the best setting, and the values that it may have. */
export interface TunedFactor extends ValueOf<typeof tunedFactor> {}
const tunedFactor = fields({
  name: text,
  /** The environment variable that it sets, or the Postgres setting, or the index that it hides: one of the three. */
  env: optional(text),
  setting: optional(text),
  hideIndex: optional(text),
  /** Where its setting is switched in the running service, as all factors then are. Absent where each setting is an arm. */
  live: optional(oneOf('database', 'server')),
  /** In the order of the scenario; those of a range ascending, as a person would write them, after `default` where the control has none. */
  values: list(either(text, number, flag), 2),
  /** Where each of them lies in the range, from 0 to 1, by ratio; -1 of `default`. Absent where values have no order. */
  places: optional(list(number, 2)),
  /** The smallest size of a pool that was left out, and how many connections a server has for all instances. Absent where none was. */
  beyond: optional(fields({ from: number, connections: count })),
});

/** The space of a search: every combination of these values is a setting. */
export interface TuneSpec extends ValueOf<typeof tuneSpec> {}
export const tuneSpec = fields({
  factors: list(tunedFactor, 1),
  /** A setting that breaks one of them is not taken. */
  keep: optional(someLimits),
});
