import type { z } from 'zod';
import type { LoadSpec, Target, Variant, WorkloadSpec } from '../../journal/scenario-record.ts';
import type { Origin } from '../checks.ts';
import type { Problem } from '../problem.ts';

/** Values of keys as a scenario has them. */
export type Written<Keys extends z.core.$ZodShape> = z.output<z.ZodObject<Keys>>;

/** The scenario around a load, and the list that its problems are added to. */
export interface Around {
  readonly target: Target;
  /** A login fetches a token, which requests may send. */
  readonly hasToken: boolean;
  readonly origin: Origin;
  readonly problems: Problem[];
}

/**
 * A kind of load, or a bound of one, by its keys in `load`; each knows the keys that it reads. `kinds.ts` lists them all.
 * src/journal/load-traits.ts says what its levels are like, src/measure/load/streams.ts how they are sent.
 */
export interface KindOfLoad {
  /** The key that asks for it, and those that say more of it. */
  readonly keys: z.core.$ZodShape;
  /** The message of a key that says more, where the kind is not asked for and `goes with` would say too little. */
  readonly alone?: Readonly<Record<string, string>>;
  /** It needs one of these keys besides. */
  readonly needs?: { readonly oneOf: readonly string[]; readonly message: string };
  /** Messages of keys that do not go with it. */
  readonly refuses?: Readonly<Record<string, string>>;
  /** Its arms have their time in one stretch. */
  isWhole?(load: object): boolean;
  /** Why nothing can be switched live under it; where absent, whole slices are the reason. */
  readonly notLive?: string;
  /** The run does not set the length of its slices. */
  readonly fixesSlices?: true;
  /** Its connections may be dealt among processes of the load generator. Other load is counted or waits in one place. */
  readonly isDealt?: true;
  /** It fills the database itself. */
  readonly fillsDatabase?: true;
  /** No setting is recommended under it. */
  readonly recommendsNothing?: true;
  /** Keys of requests that may follow it: where one of them is asked for, requests come from there. */
  readonly followedBy?: readonly string[];
  /** It sends no requests. */
  runsAlone?(load: object): boolean;
  /** It decides all load levels, whatever other kinds are asked for. */
  readonly takesOver?: true;
  /** The load levels, and what holds for all of them; absent where it bounds levels of other kinds. */
  levels?(load: object, around: Around): Partial<LoadSpec> & Pick<LoadSpec, 'levels'>;
  /** Fields that bound the levels of other kinds. */
  bounds?(load: object): Partial<LoadSpec>;
  /** The kind whose further keys it takes. */
  standsFor?(load: object): string;
  /** Where requests come from; absent where other keys say that. */
  workload?(load: object, around: Around): WorkloadSpec;
  /** Problems elsewhere in the scenario, under this load. */
  mistakes?(document: object, variants: readonly Variant[]): readonly Problem[];
}

/** A message for each of these keys. */
export function eachRefused(keys: readonly string[], message: (key: string) => string): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, message(key)]));
}
