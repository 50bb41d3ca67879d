import { loadKinds } from './load-traits.ts';
import { builtInWorkload } from './sample.ts';
import { amount, count, either, fields, oneOf, optional, type Shape, type ValueOf } from './shape.ts';

/** Fields of every load level, beside its size. */
const levelContent = {
  /** The kind of load; absent where its name is that of the size: `connections`, `rate`, `users`. */
  of: optional(oneOf(...loadKinds)),
  /** Set where levels differ in what they send, not only in how much of it. */
  workload: optional(builtInWorkload),
};

export interface ConnectionsLevel extends ValueOf<typeof connectionsLevel> {}
const connectionsLevel = fields({
  /** Client connections of a closed loop: each sends its next request when the answer to the last has come. */
  connections: count,
  ...levelContent,
});

export interface RateLevel extends ValueOf<typeof rateLevel> {}
const rateLevel = fields({
  /** Requests that are sent each second of an open loop, whether earlier ones were answered or not. */
  rate: amount,
  ...levelContent,
});

export interface UsersLevel extends ValueOf<typeof usersLevel> {}
const usersLevel = fields({
  /** Users, each of whom goes through a script of requests and pauses. */
  users: count,
  ...levelContent,
});

/**
 * One intensity of load. Variants are compared within a load level, never across. Levels differ by what their size is;
 * load-level.ts distinguishes them for code that only names or orders them.
 */
export type LoadLevel = ConnectionsLevel | RateLevel | UsersLevel;
export const loadLevel: Shape<LoadLevel> = either(rateLevel, usersLevel, connectionsLevel);

/** When the requests of an open loop are sent, at every rate. */
export interface OpenLoopSpec extends ValueOf<typeof openLoopSpec> {}
export const openLoopSpec = fields({
  /** At equal distances, or as independent users do: at exponentially distributed ones, by the seed. */
  arrivals: oneOf('constant', 'poisson'),
  /** Requests that may be under way at once; one that is due beyond it is not sent, and counts as failed. */
  inFlight: count,
});

/** This many requests and no more: their time is the result. */
export interface BoundedSpec extends ValueOf<typeof boundedSpec> {}
export const boundedSpec = fields({
  count,
  /** A slice that has not answered all of them by then is a timeout. */
  limitMs: amount,
});
