import type { z } from 'zod';
import { merged } from '../../base/merged.ts';
import type { FactorValue, Target, Variant } from '../../journal/scenario-record.ts';
import { distance } from './distance.ts';
import { instances } from './instances.ts';
import { live } from './live/part.ts';
import type { PartFactor, VariantPart } from './part.ts';
import { pooler } from './pooler.ts';

/** All parts, by their key in a variant. */
const parts = { live, distance, pooler, instances };
/** Settings of them that a factor may have, by its key for each. */
const factors = merged(parts, 'factors');

type Parts = typeof parts;
type PartKey = keyof Parts;
type Factors = typeof factors;
type PartShape = { readonly [Key in PartKey]: z.ZodOptional<Parts[Key]['schema']> };
type FactorShape = { readonly [Key in keyof Factors]: z.ZodOptional<Factors[Key]['schema']> };

/** Parts of a variant as written. */
export type WrittenParts = { readonly [Key in PartKey]?: z.output<Parts[Key]['schema']> | undefined };

type AnyPart = VariantPart<keyof Variant, z.ZodType>;
const all = Object.entries(parts) as [PartKey, AnyPart][];

export const partKeys = Object.keys(parts) as PartKey[];

const onPostgres = all.filter(([, { needsPostgres }]) => needsPostgres === true);
/** Those that a variant without Postgres lacks: all that stand between a service and its database. */
export const postgresPartKeys: readonly string[] = onPostgres.map(([key]) => key);

/** Keys of a factor that name one of them. */
export const postgresFactorKeys = onPostgres.flatMap(([, { factors: own }]) => Object.keys(own));

/** Keys of the others that need a Postgres, by part. */
export const postgresKeysIn = all.flatMap(([part, { needsPostgres = [] }]) =>
  needsPostgres === true ? [] : [[part, needsPostgres] as const],
);

/** Those that variants of a service that already runs may have. */
export const runningPartKeys = all.flatMap(([part, { needsNoStart }]) => (needsNoStart ? [part] : []));

/** The schemas of a variant's keys. */
export const partShape = byKey(({ schema }) => schema.optional()) as PartShape;

type Place = NonNullable<AnyPart['forAllIn']>;

/** The schemas of the keys that say parts for all variants, below `stack` or `target`. */
export function partShapeIn<const In extends Place>(place: In) {
  const own = all.filter(([, { forAllIn }]) => forAllIn === place);
  return Object.fromEntries(own.map(([key]) => [key, partShape[key]])) as Pick<
    PartShape,
    { [Key in PartKey]: Parts[Key] extends { readonly forAllIn: In } ? Key : never }[PartKey]
  >;
}

/** The schemas of a factor's keys for them. */
export const partFactorShape = Object.fromEntries(
  Object.entries(factors).map(([key, { schema }]) => [key, schema.optional()]),
) as unknown as FactorShape;

/** Why each of them cannot be switched live, by key. */
export const partsNotLive = byKey(({ notLive }) => notLive) as Readonly<Partial<Record<PartKey, string>>>;

/** The keys of a factor that name a part. */
export const partFactorKeys = Object.keys(factors) as (keyof Factors)[];

/** A factor as written, as far as it has levels. */
export type WithLevels = { readonly levels?: readonly FactorValue[] | undefined } & {
  readonly [Key in keyof Factors]?: z.output<FactorShape[Key]>;
};

function keyOf(factor: WithLevels): keyof Factors | undefined {
  return partFactorKeys.find((key) => factor[key] !== undefined);
}

/** Under which key the levels of a factor stand: one that names a part may say how they are set instead. */
export function levelsKeyOf(factor: WithLevels): 'levels' | keyof Factors {
  return partFactorKeys.find((key) => Array.isArray(factor[key])) ?? 'levels';
}

/** The levels of a factor; none where they are missing. */
export function levelsOf(factor: WithLevels): readonly FactorValue[] {
  return (factor[levelsKeyOf(factor)] ?? []) as readonly FactorValue[];
}

/** Which part a factor sets; null where it sets none. */
export function partOfFactor(factor: WithLevels): PartKey | null {
  const key = keyOf(factor) ?? '';
  return partKeys.find((part) => Object.hasOwn(parts[part].factors, key)) ?? null;
}

/** Parts that a level of a factor sets, as a variant would write them. */
export function partsOfLevel(factor: WithLevels, level: FactorValue): WrittenParts {
  const [key, part] = [keyOf(factor), partOfFactor(factor)];
  if (key === undefined || part === null) return {};
  const { written }: PartFactor<unknown> = factors[key];
  return { [part]: written(level, factor[key] as never) };
}

/** A scenario as written, as far as it says parts for all variants. */
type WithPartsForAll = { readonly [In in Place]?: WrittenParts | undefined };

/** Parts that `stack` and `target` say for all variants. */
export function partsForAll(document: WithPartsForAll): WrittenParts {
  return byKey(({ forAllIn }, key) => forAllIn && document[forAllIn]?.[key]) as WrittenParts;
}

/** Variants with their parts, each from its layers: what is said for all, then what the variant or its factors say. */
export function withParts(
  variants: readonly Variant[],
  layersOf: (variant: Variant) => readonly WrittenParts[],
): Variant[] {
  const layers = variants.map(layersOf);
  const written = byKey((_, key) => layers.map((own) => own.flatMap((layer) => layer[key] ?? []))) as Readonly<
    Record<PartKey, readonly (readonly unknown[])[]>
  >;
  return variants.map((variant, index) => ({
    ...variant,
    ...(byKey((part, key) => part.resolve(written[key][index] ?? [], written[key])) as object),
  }));
}

/** A variant with what its parts need besides. */
export function completed(variant: Variant, target: Target): Variant {
  return all.reduce((whole, [, part]) => part.complete?.(whole, target) ?? whole, variant);
}

/** Where a part is said for all; empty where it never is. */
export function placeForAll(part: PartKey): readonly string[] {
  const { forAllIn }: AnyPart = parts[part];
  return forAllIn === undefined ? [] : [forAllIn, part];
}

/** A value of a part that a factor may have levels of: their key, and where the value stands below the part's own. */
export type FactorPlace = (typeof factorPlaces)[number];
export const factorPlaces = all.flatMap(([part, { forAllIn, factors: own }]) =>
  forAllIn === undefined ? [] : Object.entries(own).map(([factor, { at }]) => ({ part, factor, forAllIn, at })),
);

/** Mistakes in the parts of a variant, by their keys. */
export function partMistakes(variant: Variant, target: Target): readonly (readonly [PartKey, string])[] {
  return all.flatMap(([key, part]) => {
    const value = variant[key];
    if (value === undefined) return [];
    const isInVain = target.kind === 'url' && !part.needsNoStart;
    const mistake = isInVain
      ? `pgsweep does not start a url target, so it has no say in its ${key}`
      : part.mistake?.(value, target);
    return mistake ? [[key, mistake] as const] : [];
  });
}

function byKey(pick: (part: AnyPart, key: PartKey) => unknown): unknown {
  return Object.fromEntries(
    all.map(([key, part]) => [key, pick(part, key)]).filter(([, value]) => value !== undefined),
  );
}
