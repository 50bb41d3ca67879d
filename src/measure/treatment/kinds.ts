import type { z } from 'zod';
import type { ResolvedScenario, Treatment } from '../../journal/scenario-record.ts';
import type { Step, TreatmentKind, TreatmentMistake } from './kind.ts';
import { createIndex } from './kinds/create-index.ts';
import { dropIndex } from './kinds/drop-index.ts';
import { hideIndex } from './kinds/hide-index.ts';
import { release } from './kinds/release.ts';
import { settings } from './kinds/settings.ts';
import { sql } from './kinds/sql.ts';

/** All that a variant can change in its database, by its key in the scenario, in the order in which it is done. */
const kinds = { postgres: release, settings, dropIndex, createIndex, hideIndex, sql };

type Kinds = typeof kinds;
type Shape = { readonly [Key in keyof Kinds]: Kinds[Key]['schema'] };

/** A variant's treatment as written. */
export type WrittenTreatment = { readonly [Key in keyof Shape]?: z.output<Shape[Key]> };

const all = Object.entries(kinds) as [keyof Kinds, TreatmentKind<keyof Treatment, z.ZodType>][];

/** The keys of a variant that change its database. */
export const treatmentKeys: readonly string[] = Object.keys(kinds);

/** Their schemas, by key. */
export const treatmentShape = byKey(({ schema }) => schema) as Shape;

/** Why each of them cannot be switched live, by key. */
export const treatmentsNotLive = byKey(({ notLive }) => notLive) as Readonly<Record<keyof Kinds, string>>;

function byKey(pick: (kind: TreatmentKind<keyof Treatment, z.ZodType>, key: keyof Kinds) => unknown): unknown {
  return Object.fromEntries(
    all.map(([key, kind]) => [key, pick(kind, key)]).filter(([, value]) => value !== undefined),
  );
}

/** Changes of a variant in its database, or undefined where there are none; and its mistakes. */
export function readTreatment(written: WrittenTreatment): {
  treatment: Treatment | undefined;
  mistakes: readonly TreatmentMistake[];
} {
  const treatment = byKey((kind, key) => kind.read(written[key])) as Treatment;
  const mistakes = all.flatMap(([key, kind]) => kind.mistakes?.(written[key], treatment) ?? []);
  return { treatment: stepsOf(treatment).length === 0 ? undefined : treatment, mistakes };
}

/** The changes of a treatment, in their order. */
export function stepsOf(treatment: Treatment | undefined): Step[] {
  return all.flatMap(([key, kind]) => {
    const value = treatment?.[key];
    return value === undefined ? [] : [...kind.steps(value)];
  });
}

/** True if a treatment reaches beyond its database, to all others of its server: something undoes it, or it is of the server. */
export function reachesBeyond(treatment: Treatment | undefined): boolean {
  return stepsOf(treatment).some(({ undo, reachesBeyond: beyond }) => undo !== undefined || beyond === true);
}

/** True if some variant changes indexes, so their sizes and use are worth recording. */
export function changesIndexes({ variants }: Pick<ResolvedScenario, 'variants'>): boolean {
  return variants.some(({ treatment }) => stepsOf(treatment).some(({ changesIndex }) => changesIndex === true));
}
