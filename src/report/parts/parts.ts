import { merged } from '../../base/merged.ts';
import { present } from '../../base/present.ts';
import type { LoadLevel, Variant } from '../../journal/scenario-record.ts';
import type { PartKey, VariantParts } from '../../journal/variant-parts.ts';
import type { LinkSummary } from '../../judge/read/rounds/links.ts';
import type { Summary } from '../../judge/summary.ts';
import { distance } from './distance.ts';
import { instances } from './instances.ts';
import { live } from './live.ts';
import type { ReportPart } from './part.ts';
import { pooler } from './pooler.ts';

/** All parts of variants, in the order in which they are said. */
const parts = { instances, distance, pooler, live } satisfies {
  readonly [Key in PartKey]: ReportPart<NonNullable<Variant[Key]>>;
};

type AnyPart = ReportPart<NonNullable<Variant[PartKey]>>;
const all = Object.entries(parts) as unknown as readonly (readonly [PartKey, AnyPart])[];

/** Words of the notes of all parts, by kind. */
export const partNotes = merged(parts, 'notes');

/** Advice for each of them. */
export const partRemedies = merged(parts, 'remedies');

/** Names of the resources that parts have. */
export const partResources = merged(parts, 'resources');

/** Probe values that are always shown where a run has them. */
export const partsTelling: readonly string[] = all.flatMap(([, { telling = [] }]) => telling);

/** A variant by name, with its parts. */
interface Named extends VariantParts {
  readonly name: string;
}

/** Parts of all variants as labels and values; nothing of a part that no variant has. */
export function partFacts(variants: readonly Named[], loads: readonly LoadLevel[]): [string, string][] {
  return all.flatMap((entry) => factOf(entry, variants, loads));
}

/** The facts that are about all variants together. */
export function sharedPartFacts(variants: readonly Named[], loads: readonly LoadLevel[]): [string, string][] {
  return all.filter(([, { ofAll }]) => ofAll).flatMap((entry) => factOf(entry, variants, loads));
}

/** Said once where it is the same in all. */
function factOf(
  [key, part]: (typeof all)[number],
  variants: readonly Named[],
  loads: readonly LoadLevel[],
): [string, string][] {
  const { without = 'none' } = part;
  const specs = variants.map((variant) => variant[key]);
  if (specs.every((spec) => spec === undefined)) return [];
  if (part.ofAll) return present([part.ofAll(specs, loads)]).map((fact) => [key, fact]);
  const words = specs.map((spec) => (spec === undefined ? without : (part.words?.(spec) ?? without)));
  const isAlike = new Set(words).size === 1;
  return [[key, isAlike ? (words[0] ?? without) : variants.map(({ name }, at) => `${name} ${words[at]}`).join('; ')]];
}

/** Parts of one variant, each in words that stand in a list of its changes. */
export function partChanges(variant: VariantParts): string[] {
  return all.flatMap(([key, { words, namesItself }]) => {
    const spec = variant[key];
    const own = spec === undefined ? undefined : words?.(spec);
    return own === undefined ? [] : [namesItself ? own : `${key} ${own}`];
  });
}

/** Parts as a run had them, as labels and values: as they were measured, or else as they were asked for. */
export function measuredParts({ run, links = [], provenance }: Summary): [string, string | null][] {
  const variants = run.settings.map(({ variant: name, ...setting }) => ({ ...setting, name }));
  return [
    ...all.flatMap(([, { facts }]) => facts?.(provenance) ?? []),
    ...linkFacts(links),
    ...all.filter(([, { measured }]) => !measured).flatMap((entry) => factOf(entry, variants, run.loads)),
  ];
}

/** Measurements of links, a line for each variant. */
export function linkFacts(links: readonly LinkSummary[]): [string, string][] {
  return links.map((link) => {
    const measured = all.flatMap(([, part]) => part.measured?.(link) ?? []);
    const used = link.cpus !== null && `processes in between used ${link.cpus.toFixed(2)} CPUs under load`;
    return [`before ${link.variant}'s database`, present([...measured, used]).join('; ')];
  });
}

/** Parts of a variant as a scenario has them, null for one that it lacks. */
export function writtenParts(variant: { readonly [Key in PartKey]?: Variant[Key] | null }): Record<string, unknown> {
  const written = all.flatMap(([key, { written: asWritten = (spec: unknown) => spec }]) => {
    const spec = variant[key];
    const value = spec === undefined ? null : asWritten(spec);
    return value === null ? [] : [[key, value]];
  });
  return Object.fromEntries(written);
}
