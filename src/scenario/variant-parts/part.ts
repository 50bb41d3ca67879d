import type { z } from 'zod';
import type { FactorValue, Target, Variant } from '../../journal/scenario-record.ts';

/**
 * A property of variants besides environment and treatment: it has a key of its own in `variants`, may be said once for all
 * (for-all.ts), and varies as a factor whose levels stand under a key of their own. `parts.ts` lists them all.
 */
export interface VariantPart<Key extends keyof Variant, Schema extends z.ZodType> {
  /** The schema of the variant's key. */
  readonly schema: Schema;
  /** By the key that holds the levels of a factor. */
  readonly factors: Readonly<Record<string, PartFactor<z.output<Schema>>>>;
  /** Why a running service cannot be switched to it. */
  readonly notLive: string;
  /** What it comes to: later layers stand over earlier ones. Undefined where the variant is as without it. */
  resolve(layers: readonly z.output<Schema>[]): Variant[Key] | undefined;
  /** What is wrong with it, in words that follow the place; null where nothing is. */
  mistake(value: NonNullable<Variant[Key]>, target: Target): string | null;
}

interface PartFactor<Written> {
  /** The schema of a level. */
  readonly schema: z.ZodType;
  /** A level, written as the variant's key would have it. */
  written(level: FactorValue): Written;
}
