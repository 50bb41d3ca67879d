import type { LiveSwitch } from '../journal/live-switch.ts';
import type { PostgresRelease, ResolvedScenario, RoundsSpec, Treatment, Variant } from '../journal/scenario-record.ts';
import { placeOfSetting } from './setting-names.ts';

/** The settings of a treatment that are of its database alone. */
export function databaseSettings(treatment: Treatment | undefined): [name: string, value: string][] {
  return settingsAt('database', treatment);
}

/** The settings of a treatment for which it needs a server of its own, by name; empty where it needs none. */
export function serverSettings(treatment: Treatment | undefined): [name: string, value: string][] {
  return settingsAt('server', treatment)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function settingsAt(place: 'database' | 'server', treatment: Treatment | undefined): [string, string][] {
  return Object.entries(treatment?.settings ?? {}).filter(([name]) => placeOfSetting(name) === place);
}

/**
 * The variants by the server that they run on, in the order of the scenario: those with the same settings of the server
 * share one. The key is '' for the server that all others share. With more than one, every round starts all of them.
 */
export function variantsByServer(scenario: Pick<ResolvedScenario, 'variants'>): Map<string, Variant[]> {
  const servers = new Map<string, Variant[]>();
  for (const variant of scenario.variants) {
    const key = serverKey(variant);
    servers.set(key, [...(servers.get(key) ?? []), variant]);
  }
  return servers;
}

/** Which server a variant runs on: '' for the one that is as the stack says. */
export function serverKey(variant: Pick<Variant, 'treatment'>): string {
  const settings = serverSettings(variant.treatment);
  const release = releaseKey(variant);
  return settings.length === 0 && release === '' ? '' : JSON.stringify([release, settings]);
}

/** Which Postgres a variant runs on: '' for that of the stack. Those of one key can share the files of a loaded server. */
export function releaseKey({ treatment }: Pick<Variant, 'treatment'>): string {
  const { version, image, stack } = treatment?.postgres ?? {};
  return version === undefined && image === undefined && stack === undefined
    ? ''
    : JSON.stringify({ version, image, stack });
}

/** `Postgres 15 (own server)`; empty for that of the stack. */
export function releaseWords({ version, image, stack }: PostgresRelease = {}): string[] {
  const what = [
    ...(version === undefined ? [] : [`Postgres ${version}`]),
    ...(image === undefined ? [] : [`image ${image}`]),
    ...(stack === undefined ? [] : [`stack ${stack}`]),
  ];
  return what.length === 0 ? [] : [`${what.join(', ')} (own server)`];
}

/** What decides which servers there are. */
export interface ServerPlan {
  readonly variants: readonly Variant[];
  readonly rounds?: Pick<RoundsSpec, 'restart'>;
}

/** How many servers are started anew in every round; 0 where one server serves the whole session. */
export function serversPerRound({ variants, rounds }: ServerPlan): number {
  const servers = variantsByServer({ variants });
  return servers.size === 1 && servers.has('') && rounds?.restart !== 'server' ? 0 : servers.size;
}

/** Whether some variant changes indexes, so that their sizes and use are worth recording. */
export function changesIndexes({ variants }: ResolvedScenario): boolean {
  return variants.some(
    ({ treatment }) =>
      treatment !== undefined &&
      treatment.dropIndex.length + treatment.createIndex.length + treatment.hideIndex.length > 0,
  );
}

/** What a treatment is going to change, for people: `drops ix_a`, `shared_buffers = 1GB (own server)`. */
export function plannedChanges(treatment: Treatment | undefined): string[] {
  if (treatment === undefined) return [];
  return [
    ...releaseWords(treatment.postgres),
    ...databaseSettings(treatment).map(([name, value]) => settingWords(name, value, 'database')),
    ...serverSettings(treatment).map(([name, value]) => settingWords(name, value, 'server')),
    ...treatment.dropIndex.map((name) => `drops ${name}`),
    ...treatment.createIndex.map((statement) => `runs ${oneLine(statement)}`),
    ...treatment.hideIndex.map((name) => `hides ${name}`),
    ...treatment.sql.map(({ apply }) => `runs ${oneLine(apply)}`),
  ];
}

/** What a live switch is going to do, for people: `PUT /admin/settings {"poolMax":10}`, `hides ix_a`. */
export function plannedSwitch(live: LiveSwitch | undefined): string[] {
  if (live === undefined) return [];
  return [
    ...live.settings.map(({ name, value, place }) => `${name} = ${value ?? 'as it was'} (${place})`),
    ...live.indexes.map(({ name, hidden }) => `${hidden ? 'hides' : 'shows'} ${name}`),
    ...live.sql.map((statement) => `runs ${oneLine(statement)}`),
    ...live.requests.map(({ method, path, body }) =>
      oneLine([method, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ')),
    ),
  ];
}

/** `synchronous_commit = off (database)`, `shared_buffers = 1GB (own server)` */
export function settingWords(name: string, value: string, place: 'database' | 'server'): string {
  return `${name} = ${value === '' ? "''" : value} (${place === 'server' ? 'own server' : place})`;
}

/** A statement on one line, cut where it is long. */
export function oneLine(statement: string): string {
  const line = statement.trim().replace(/\s+/g, ' ');
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`;
}
