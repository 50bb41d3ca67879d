import type { LinkReading } from '../../journal/link/link-record.ts';
import type { Provenance } from '../../journal/records.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import type { Finding } from '../finding.ts';
import { distance } from './distance/part.ts';
import { instances } from './instances.ts';
import type { OpenedLink, RunPart, WatchedTry } from './link.ts';
import { pooler } from './pooler/part.ts';

/** All parts of variants, in the order of their links from the database to the service. */
export const runParts: readonly RunPart[] = [pooler, distance, instances];

/** Looks for what parts of variants need, before anything is started; `before` is recorded of a resumed run. Throws PgsweepError `stack`. */
export async function requireParts(
  scenario: Pick<ResolvedScenario, 'variants'>,
  before: Provenance | undefined,
): Promise<Partial<Provenance>> {
  const found = await Promise.all(runParts.map((part) => part.require?.(scenario, before)));
  return Object.assign({}, ...found);
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
