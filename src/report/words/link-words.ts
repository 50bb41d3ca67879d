import { present } from '../../base/present.ts';
import type { DistanceSpec } from '../../journal/link/distance.ts';
import type { PoolerSpec } from '../../journal/link/pooler.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { LinkSummary } from '../../judge/read/rounds/links.ts';

/** `1 ms ± 0.1 ms, 100 Mbit/s` */
function distanceWords({ rttMs, jitterMs, bandwidthMbit }: DistanceSpec): string {
  const jitter = jitterMs === undefined ? '' : ` ± ${jitterMs} ms`;
  return [`${rttMs} ms${jitter}`, ...(bandwidthMbit === undefined ? [] : [`${bandwidthMbit} Mbit/s`])].join(', ');
}

/** `PgBouncer, transaction mode, 20 connections` */
export function poolerWords({ mode, size, reserveSize, maxPreparedStatements = 0 }: PoolerSpec): string {
  const reserve = reserveSize === undefined ? '' : ` and ${reserveSize} in reserve`;
  const prepared = maxPreparedStatements === 0 ? [] : [`${maxPreparedStatements} prepared statements each`];
  return [`PgBouncer, ${mode} mode`, `${size} connection${size === 1 ? '' : 's'}${reserve}`, ...prepared].join(', ');
}

/** A part that stands between a service and its database, in words. */
interface LinkWords {
  readonly label: string;
  /** Undefined where the variant lacks it. */
  words(variant: Variant): string | undefined;
  /** How a variant without it is called beside others that have it. */
  readonly without: string;
  /** Set if a variant's list of changes needs the label, too. */
  readonly labelled: boolean;
}

/** All of them, as src/measure/link/parts.ts lists what runs do for them. */
const linkParts: readonly LinkWords[] = [
  {
    label: 'distance',
    words: ({ distance }) => distance && distanceWords(distance),
    without: 'direct',
    labelled: true,
  },
  { label: 'pooler', words: ({ pooler }) => pooler && poolerWords(pooler), without: 'none', labelled: false },
];

/** Links of a scenario's variants, as labels and values; nothing where no variant has one. */
export function linkSettings(variants: readonly Variant[]): [string, string][] {
  return linkParts.flatMap((link) => settingsOf(link, variants));
}

/** Links of one variant, each in words that stand in a list of its changes. */
export function linkChanges(variant: Variant): string[] {
  return linkParts.flatMap(({ label, words, labelled }) => {
    const own = words(variant);
    return own === undefined ? [] : [labelled ? `${label} ${own}` : own];
  });
}

/** Said once where it is the same in all, and not at all where no variant has it. */
function settingsOf({ label, words: wordsOf, without }: LinkWords, variants: readonly Variant[]): [string, string][] {
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
