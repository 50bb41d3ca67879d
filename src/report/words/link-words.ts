import { present } from '../../base/present.ts';
import type { DistanceSpec } from '../../journal/link/distance.ts';
import type { PoolerSpec } from '../../journal/link/pooler.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { LinkSummary } from '../../judge/read/rounds/links.ts';

/** `1 ms ± 0.1 ms, 100 Mbit/s` */
export function distanceWords({ rttMs, jitterMs, bandwidthMbit }: DistanceSpec): string {
  const jitter = jitterMs === undefined ? '' : ` ± ${jitterMs} ms`;
  return [`${rttMs} ms${jitter}`, ...(bandwidthMbit === undefined ? [] : [`${bandwidthMbit} Mbit/s`])].join(', ');
}

/** How far services are from their database, as label and value; nothing where none is further than it is. */
export function distanceFacts(variants: readonly Variant[]): [string, string][] {
  return factsOf('distance', variants, ({ distance }) => distance && distanceWords(distance), 'direct');
}

/** `PgBouncer, transaction mode, 20 connections` */
export function poolerWords({ mode, size, reserveSize, maxPreparedStatements = 0 }: PoolerSpec): string {
  const reserve = reserveSize === undefined ? '' : ` and ${reserveSize} in reserve`;
  const prepared = maxPreparedStatements === 0 ? [] : [`${maxPreparedStatements} prepared statements each`];
  return [`PgBouncer, ${mode} mode`, `${size} connection${size === 1 ? '' : 's'}${reserve}`, ...prepared].join(', ');
}

/** The pooler before the database, as label and value; nothing where there is none. */
export function poolerFacts(variants: readonly Variant[]): [string, string][] {
  return factsOf('pooler', variants, ({ pooler }) => pooler && poolerWords(pooler), 'none');
}

/** Said once where it is the same in all, and not at all where no variant has it. */
function factsOf(
  label: string,
  variants: readonly Variant[],
  wordsOf: (variant: Variant) => string | undefined,
  without: string,
): [string, string][] {
  const words = variants.map(wordsOf);
  if (words.every((one) => one === undefined)) return [];
  const [first = without] = words;
  if (new Set(words).size === 1) return [[label, first]];
  return [[label, variants.map(({ name }, index) => `${name} ${words[index] ?? without}`).join('; ')]];
}

/** Measurements of links, a line for each variant. */
export function linkFacts(links: readonly LinkSummary[]): [string, string][] {
  return links.map(({ variant, distance, pooler, cpus }) => {
    const parts = present([
      pooler && `${poolerWords(pooler.asked)} (${pooler.version})`,
      distance && `distance ${distanceWords(distance.asked)}`,
      distance &&
        `a round trip of SELECT 1 took ${ms(distance.p50Ms)} longer than a direct one (p99 ${ms(distance.p99Ms)})`,
      cpus !== null &&
        `${pooler === undefined ? 'what makes it' : 'what stands there'} used ${cpus.toFixed(2)} CPUs under load`,
    ]);
    return [`before ${variant}'s database`, parts.join('; ')];
  });
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
