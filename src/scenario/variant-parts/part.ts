import type { z } from 'zod';
import type { FactorValue, Target, Variant } from '../../journal/scenario-record.ts';

/**
 * A property of variants besides environment and treatment: it has its own key in `variants`, may be said once for all,
 * and varies as a factor whose levels have their own key. `parts.ts` lists them all, and src/journal/variant-parts.ts
 * names their other halves.
 */
export interface VariantPart<Key extends keyof Variant, Schema extends z.ZodType> {
  /** The schema of its key, in a variant and where it is said for all. */
  readonly schema: Schema;
  /** Under which key of the scenario it is said for all, by the key that variants have; absent where nothing is. */
  readonly forAllIn?: 'stack' | 'target';
  /** By the key of a factor that holds its levels, or says how its `levels` are set. */
  readonly factors: Readonly<Record<string, PartFactor<z.output<Schema>>>>;
  /** True if it stands between a service and its Postgres: a variant without Postgres lacks it. Or those of its keys that need one. */
  readonly needsPostgres?: true | readonly string[];
  /** Set if variants of a service that already runs may have it. */
  readonly needsNoStart?: true;
  /** Why a running service cannot be switched to it. */
  readonly notLive?: string;
  /**
   * The resolved part: later layers stand over earlier ones. Undefined if it changes nothing. `all`: the layers
   * of all variants.
   */
  resolve(layers: readonly z.output<Schema>[], all: readonly (readonly z.output<Schema>[])[]): Variant[Key] | undefined;
  /** The mistake in it, in words that follow the place; null where there is none. It is not called for a url target, where nothing is started. */
  mistake?(value: NonNullable<Variant[Key]>, target: Target): string | null;
  /** Adds other things that the part needs to a variant; absent if it needs none. */
  complete?(variant: Variant, target: Target): Variant;
}

export interface PartFactor<Written> {
  /** The schema of the key: of a list of levels, mostly. */
  readonly schema: z.ZodType;
  /** Where a variant has the value of a level, below the part's key; empty where the part is that value. */
  readonly at: readonly string[];
  /** A level, written as a variant would have the part. `key`: the value of the key. */
  written(level: FactorValue, key: never): Written;
}
