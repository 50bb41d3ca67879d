import type { z } from 'zod';
import type { FactorValue, Target, Variant } from '../../journal/scenario-record.ts';

/**
 * A property of variants besides environment and treatment: it has its own key in `variants`, may be said once for all,
 * and varies as a factor whose levels have their own key. `parts.ts` lists them all; src/measure/link/parts.ts has the
 * half that runs know.
 */
export interface VariantPart<Key extends keyof Variant, Schema extends z.ZodType> {
  /** The schema of the variant's key. */
  readonly schema: Schema;
  /** By the key that holds the levels of a factor. */
  readonly factors: Readonly<Record<string, PartFactor<z.output<Schema>>>>;
  /** Reads what a scenario says for all variants. Each part knows the keys that it reads. */
  forAll(document: object): z.output<Schema> | undefined;
  /** Where a mistake stands in what is said for all. */
  readonly placeForAll: readonly string[];
  /** Set if it stands between a service and its Postgres. A variant without Postgres lacks it. */
  readonly needsPostgres: boolean;
  /** Why a running service cannot be switched to it. */
  readonly notLive: string;
  /** The resolved part: later layers stand over earlier ones. Undefined where the variant is as without it. */
  resolve(layers: readonly z.output<Schema>[]): Variant[Key] | undefined;
  /** The mistake in it, in words that follow the place; null where there is none. */
  mistake(value: NonNullable<Variant[Key]>, target: Target): string | null;
  /** Finds a key of the scenario's load that does not go with it; absent where any load does. */
  loadMistake?(variant: Variant, load: object): LoadMistake | null;
  /** Adds to a variant what it needs besides; absent where it needs nothing. */
  complete?(variant: Variant, target: Target): Variant;
}

/** A key of a scenario's load that does not go with a part of a variant. */
export interface LoadMistake {
  readonly key: string;
  readonly message: string;
}

interface PartFactor<Written> {
  /** The schema of a level. */
  readonly schema: z.ZodType;
  /** A level, written as the variant's key would have it. */
  written(level: FactorValue): Written;
}
