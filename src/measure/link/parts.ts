import { present } from '../../base/present.ts';
import type { LinkReading } from '../../journal/link/link-record.ts';
import type { Provenance } from '../../journal/records.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import type { Finding } from '../finding.ts';
import { distance } from './distance/part.ts';
import { instances } from './instances.ts';
import type { OpenedLink, PartChoice, RunPart, WatchedTry } from './link.ts';
import { pooler } from './pooler/part.ts';

/** All parts of variants, in the order of their links from the database to the service. */
export const runParts: readonly RunPart[] = [pooler, distance, instances];

/** Looks for the programs that parts of variants need, before anything is started. Throws PgsweepError `stack`. */
export async function requireParts(scenario: ResolvedScenario): Promise<Partial<Provenance>> {
  const found = await Promise.all(runParts.map((part) => part.require?.(scenario)));
  return Object.assign({}, ...found);
}

/** All choices that parts make for a session, as those of the run `before` where it is resumed. Throws PgsweepError. */
export async function chooseParts(
  scenario: ResolvedScenario,
  stack: string,
  before: Provenance | undefined,
): Promise<readonly PartChoice[]> {
  return present(await Promise.all(runParts.map((part) => part.choose?.(scenario, stack, before))));
}

/** How much longer an arm of a variant makes a round by all its parts, in ms. */
export function partsTimeMs(variant: Variant): number {
  return runParts.reduce((sum, part) => sum + (part.estimateMs?.(variant) ?? 0), 0);
}

/** A variant as its service is started: with the variables of all its parts. */
export function withPartsEnv(variant: Variant): Variant {
  return { ...variant, env: Object.assign({}, variant.env, ...runParts.map((part) => part.env?.(variant))) };
}

/** Findings on the measured link of a variant, of all parts that are measured. */
export function linkFindings(variant: Variant, reading: LinkReading): Finding[] {
  return runParts.flatMap(({ measured }) => measured?.finding(variant, reading) ?? []);
}

/** Watches a service that is tried, by the first part that can; null where none can. */
export async function watchTry(variant: Variant, link: OpenedLink | null): Promise<WatchedTry | null> {
  for (const part of runParts) {
    const watched = await part.watchTry?.(variant, link);
    if (watched) return watched;
  }
  return null;
}
