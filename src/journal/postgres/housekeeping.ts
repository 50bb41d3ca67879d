import type { PostgresSpec, ResolvedScenario, Variant } from '../scenario-record.ts';
import { count, eachOf, fields, type ValueOf } from '../shape.ts';

/** Postgres's own work, counted for the database or server of an arm. */
export const housekeepingWork = ['checkpoints', 'autovacuums', 'autoanalyzes'] as const;

export type HousekeepingWork = (typeof housekeepingWork)[number];

/** How often each of them came. */
export type HousekeepingRecord = ValueOf<typeof housekeepingRecord>;
export const housekeepingRecord = fields(eachOf(housekeepingWork, count));

/** Postgres's own work for fewer times than this shows no cycle of it, so there is no verdict. */
export const LEAST_HOUSEKEEPING = 2;

/**
 * Settings that show only once Postgres has done the work that they are about, the first match first. A change of any of
 * the others (shared_buffers, work_mem, ...) shows with every statement.
 */
const shownBy: readonly (readonly [setting: RegExp, work: HousekeepingWork])[] = [
  [/^autovacuum_analyze_/, 'autoanalyzes'],
  // Workers take what vacuum_cost_* and vacuum_*_age say where autovacuum_* says nothing.
  [/^autovacuum/, 'autovacuums'],
  [/^vacuum_/, 'autovacuums'],
  [/^checkpoint_/, 'checkpoints'],
  // They decide when the next checkpoint comes, and how many WAL files it keeps.
  [/^(max|min)_wal_size$/, 'checkpoints'],
  // Full pages are in the WAL for the first change of each page after a checkpoint, and most of what is compressed.
  [/^(full_page_writes|wal_compression)$/, 'checkpoints'],
  // The background writer has less to do the more of it checkpoints do.
  [/^bgwriter_/, 'checkpoints'],
];

/** Work that Postgres must do before a setting shows; null where it shows at once. */
export function workShowing(setting: string): HousekeepingWork | null {
  const [, work] = shownBy.find(([pattern]) => pattern.test(setting.toLowerCase())) ?? [];
  return work ?? null;
}

/** `ALTER TABLE t SET (autovacuum_vacuum_scale_factor = 0.01)`: the same names, for one table. */
const OF_TABLE = /\b(autovacuum_\w+)\s*=\s*([^,)\s]+)/gi;

type Settings = ReadonlyMap<string, string>;

/** The settings of a variant that decide Postgres's housekeeping, of the server or of tables, by their names in small letters. */
export function housekeepingSettings({ treatment }: Pick<Variant, 'treatment'>): Settings {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(treatment?.settings ?? {}))
    if (workShowing(name) !== null) found.set(name.toLowerCase(), value);
  for (const { apply } of treatment?.sql ?? []) {
    for (const [, name = '', value = ''] of apply.matchAll(OF_TABLE)) {
      const key = name.toLowerCase();
      found.set(key, [...(found.has(key) ? [found.get(key)] : []), value].join(', '));
    }
  }
  return found;
}

/** All such settings of some variants, each once. */
export function housekeepingVaried(variants: readonly Pick<Variant, 'treatment'>[]): string[] {
  return [...new Set(variants.flatMap((variant) => [...housekeepingSettings(variant).keys()]))].sort();
}

/** Work that Postgres must do before a difference between two variants shows; empty where these settings are equal. */
export function workBetween(one: Pick<Variant, 'treatment'>, other: Pick<Variant, 'treatment'>): HousekeepingWork[] {
  const [ofOne, ofOther] = [housekeepingSettings(one), housekeepingSettings(other)];
  const names = [...ofOne.keys(), ...ofOther.keys()].filter((name) => ofOne.get(name) !== ofOther.get(name));
  const works = new Set(names.map(workShowing));
  return housekeepingWork.filter((work) => works.has(work));
}

/** The setting that says how often Postgres sees to it, and its default in ms. */
const intervals: Readonly<Record<HousekeepingWork, readonly [setting: string, defaultMs: number]>> = {
  checkpoints: ['checkpoint_timeout', 300_000],
  autovacuums: ['autovacuum_naptime', 60_000],
  autoanalyzes: ['autovacuum_naptime', 60_000],
};

/** A cycle of Postgres's own work that some variants differ by. */
export interface HousekeepingNeed {
  readonly work: HousekeepingWork;
  /** The setting that says how often it comes. */
  readonly setting: string;
  /** How long a slice must be for enough of it, by the arm that has it least often: sooner only where writes force it. */
  readonly leastSliceMs: number;
}

/** Settings by which variants differ, and how long slices must be for each. */
export interface VariedHousekeeping {
  readonly settings: readonly string[];
  readonly needs: readonly HousekeepingNeed[];
}

/** The settings by which variants decide Postgres's housekeeping, and what it takes to see them; null where there are none. */
export function variedHousekeeping({
  variants,
  stack: { postgres },
}: Pick<ResolvedScenario, 'variants' | 'stack'>): VariedHousekeeping | null {
  const settings = housekeepingVaried(variants);
  const works = new Set(settings.map(workShowing));
  const needs = housekeepingWork.flatMap((work): HousekeepingNeed[] => {
    if (!works.has(work)) return [];
    const [setting, defaultMs] = intervals[work];
    const shared = settingIn(postgres.settings, setting);
    const everyMs = variants.map(
      (variant) => postgresMs(housekeepingSettings(variant).get(setting) ?? shared ?? '') ?? defaultMs,
    );
    return [{ work, setting, leastSliceMs: LEAST_HOUSEKEEPING * Math.max(...everyMs) }];
  });
  return settings.length === 0 ? null : { settings, needs };
}

const msPer = { us: 0.001, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as Postgres reads one whose unit is seconds: `5min`, `300`. Null for anything else. */
function postgresMs(text: string): number | null {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?$/.exec(text.trim()) ?? [];
  return amount === undefined ? null : Number(amount) * msPer[unit as keyof typeof msPer];
}

function settingIn(settings: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(settings).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** True where a variant has turned autovacuum off, of its server or of a table: then none is to be waited for. */
export function isWithoutAutovacuum(variant: Pick<Variant, 'treatment'>, postgres: PostgresSpec): boolean {
  const own = housekeepingSettings(variant);
  return (
    isOff(own.get('autovacuum') ?? settingIn(postgres.settings, 'autovacuum')) || isOff(own.get('autovacuum_enabled'))
  );
}

/** As Postgres reads it: any beginning of these words that is clear. */
function isOff(value: string | undefined): boolean {
  return value !== undefined && /^(of|off|f|fa|fal|fals|false|n|no|0)$/i.test(value);
}
