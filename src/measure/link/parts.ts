import type { Provenance } from '../../journal/records.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import { distance } from './distance/part.ts';
import { instances } from './instances.ts';
import type { OpenedLink, RunPart, WatchedTry } from './link.ts';
import { pooler } from './pooler/part.ts';

/** All parts of variants, in the order of their links from the database to the service. */
export const runParts: readonly RunPart[] = [pooler, distance, instances];

/** Looks for the programs that parts of variants need, before anything is started. Throws PgsweepError `stack`. */
export async function requireParts(scenario: ResolvedScenario): Promise<Partial<Provenance>> {
  const found = await Promise.all(runParts.map((part) => part.require?.(scenario)));
  return Object.assign({}, ...found);
}

/** How much longer an arm of a variant makes a round by all its parts, in ms. */
export function partsTimeMs(variant: Variant): number {
  return runParts.reduce((sum, part) => sum + part.estimateMs(variant), 0);
}

/** Watches a service that is tried, by the first part that can; null where none can. */
export async function watchTry(variant: Variant, link: OpenedLink | null): Promise<WatchedTry | null> {
  for (const part of runParts) {
    const watched = await part.watchTry?.(variant, link);
    if (watched) return watched;
  }
  return null;
}
