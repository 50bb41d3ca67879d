import type { z } from 'zod';
import { textEnv } from '../../../base/schema-values.ts';
import type { LiveCheck, LiveSetting, LiveSwitch } from '../../../journal/live-switch.ts';
import type { PlainRequest, RequestValue } from '../../../journal/request-value.ts';
import type { FactorValue } from '../../../journal/scenario-record.ts';
import { placeOfSetting } from '../../../measure/treatment/setting-names.ts';
import type { liveFactor, liveVariant } from './schema.ts';

type LiveFactor = z.infer<typeof liveFactor>;
type LiveVariant = z.infer<typeof liveVariant>;

/** The level in a text: `"${level}"` alone is the level itself, a number as a number. */
const LEVEL = /\$\{level\}/g;

/** The switch to one combination of a grid's levels. Factors that are not switched live are passed over. */
export function liveOfLevels(
  values: Readonly<Record<string, FactorValue>>,
  factors: readonly (readonly [name: string, factor: { readonly live?: LiveFactor | undefined }])[],
): LiveSwitch | undefined {
  const switches = factors.flatMap(([name, { live }]) =>
    live === undefined ? [] : [ofLevel(live, values[name] ?? '')],
  );
  return switches.length === 0 ? undefined : joined(switches);
}

function ofLevel(live: LiveFactor, level: FactorValue): LiveSwitch {
  const place = live.setting === undefined ? null : placeOfLive(live.setting);
  const own =
    live.setting === undefined ? [] : [{ name: live.setting, value: String(level), place: place ?? 'database' }];
  const indexes = live.hideIndex === undefined ? [] : [{ name: live.hideIndex, hidden: level === 'hidden' }];
  return sharedSwitch(live, own, indexes, (value) => withLevel(value, level));
}

function withLevel(value: RequestValue, level: FactorValue): RequestValue {
  if (typeof value === 'string') return value === '${level}' ? level : value.replace(LEVEL, () => String(level));
  if (Array.isArray(value)) return value.map((item: RequestValue) => withLevel(item, level));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withLevel(item, level)]));
}

/** The switches to named variants: what some of them set and others do not is set back for those. */
export function liveOfVariants(variants: ReadonlyMap<string, LiveVariant>): Map<string, LiveSwitch> {
  const all = [...variants.values()];
  const settings = new Set(all.flatMap((live) => Object.keys(live.settings ?? {})));
  const indexes = new Set(all.flatMap((live) => [live.hideIndex ?? []].flat()));
  const switchTo = (live: LiveVariant): LiveSwitch => {
    const values = textEnv(live.settings);
    const hidden = [live.hideIndex ?? []].flat();
    return sharedSwitch(
      live,
      [...settings].map((name) => ({ name, value: values[name] ?? null, place: placeOfLive(name) ?? 'database' })),
      [...indexes].map((name) => ({ name, hidden: hidden.includes(name) })),
      (value) => value,
    );
  };
  return new Map([...variants].map(([name, live]) => [name, switchTo(live)]));
}

function sharedSwitch(
  live: Pick<LiveFactor, 'request' | 'sql' | 'reconnect' | 'verify'>,
  settings: readonly LiveSetting[],
  indexes: LiveSwitch['indexes'],
  fill: (value: RequestValue) => RequestValue,
): LiveSwitch {
  const text = (value: string): string => String(fill(value));
  const { request, verify } = live;
  const requests: PlainRequest[] = [];
  if (request !== undefined) {
    requests.push({
      method: request.method ?? 'PUT',
      path: text(request.path),
      headers: Object.fromEntries(Object.entries(textEnv(request.headers)).map(([key, value]) => [key, text(value)])),
      ...(request.body !== undefined && { body: fill(request.body) }),
    });
  }
  return {
    settings,
    indexes,
    sql: [live.sql ?? []].flat().map(text),
    reconnect: live.reconnect === true || settings.length > 0 || indexes.length > 0,
    requests,
    checks: verify === undefined ? [] : checksOf(verify, fill),
  };
}

function checksOf(
  { path, sql, expect }: NonNullable<LiveFactor['verify']>,
  fill: (value: RequestValue) => RequestValue,
): LiveCheck[] {
  const expected = fill(expect);
  return [
    ...(path === undefined ? [] : [{ kind: 'request', path: String(fill(path)), expect: expected } as const]),
    ...(sql === undefined ? [] : [{ kind: 'sql', sql: String(fill(sql)), expect: expected } as const]),
  ];
}

function joined(switches: readonly LiveSwitch[]): LiveSwitch {
  return {
    settings: switches.flatMap(({ settings }) => settings),
    indexes: switches.flatMap(({ indexes }) => indexes),
    sql: switches.flatMap(({ sql }) => sql),
    reconnect: switches.some(({ reconnect }) => reconnect),
    requests: switches.flatMap(({ requests }) => requests),
    checks: switches.flatMap(({ checks }) => checks),
  };
}

function placeOfLive(name: string): LiveSetting['place'] | null {
  const place = placeOfSetting(name);
  return place === 'nobody' ? null : place;
}
