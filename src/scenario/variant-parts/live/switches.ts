import type { z } from 'zod';
import { env } from '../../../base/schema-values.ts';
import type { LiveCheck, LiveSetting, LiveSwitch } from '../../../journal/live-switch.ts';
import type { PlainRequest, RequestValue } from '../../../journal/request-value.ts';
import type { FactorValue } from '../../../journal/scenario-record.ts';
import { placeOfSetting } from '../../../measure/treatment/setting-names.ts';
import type { liveFactor, liveVariant } from './schema.ts';

type LiveFactor = z.output<typeof liveFactor>;
type LiveVariant = z.output<typeof liveVariant>;

/** The level in a text: `"${level}"` alone is the level itself, a number as a number. */
const LEVEL = /\$\{level\}/g;

/** A level of a factor, written as a variant would have it. */
export function atLevel(level: FactorValue, { setting, hideIndex, ...shared }: LiveFactor): LiveVariant {
  return {
    ...(withLevel(shared as RequestValue, level) as LiveVariant),
    ...(setting !== undefined && { settings: { [setting]: String(level) } }),
    ...(hideIndex !== undefined && { hideIndex: level === 'hidden' ? [hideIndex] : [] }),
  };
}

function withLevel(value: RequestValue, level: FactorValue): RequestValue {
  if (typeof value === 'string') return value === '${level}' ? level : value.replace(LEVEL, () => String(level));
  if (Array.isArray(value)) return value.map((item: RequestValue) => withLevel(item, level));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withLevel(item, level)]));
}

/**
 * The switch to a variant: what others set and it does not is set back. Undefined where no variant has any. `all`: the
 * layers of all variants.
 */
export function switchOf(
  layers: readonly LiveVariant[],
  all: readonly (readonly LiveVariant[])[],
): LiveSwitch | undefined {
  const every = all.flat();
  if (every.length === 0) return undefined;
  const values: NonNullable<LiveVariant['settings']> = Object.assign({}, ...layers.map(({ settings }) => settings));
  const names = new Set(every.flatMap(({ settings = {} }) => Object.keys(settings)));
  const settings = [...names].map((name) => ({ name, value: values[name] ?? null, place: switchPlace(name) }));
  const hidden = hiddenBy(layers);
  const indexes = [...new Set(hiddenBy(every))].map((name) => ({ name, hidden: hidden.includes(name) }));
  return {
    settings,
    indexes,
    sql: layers.flatMap(({ sql = [] }) => sql).map(String),
    reconnect: settings.length > 0 || indexes.length > 0 || layers.some(({ reconnect }) => reconnect),
    requests: layers.flatMap(requestsOf),
    checks: layers.flatMap(checksOf),
  };
}

function hiddenBy(layers: readonly LiveVariant[]): string[] {
  return layers.flatMap(({ hideIndex = [] }) => hideIndex);
}

/** Values that a level has filled in are texts where they were. */
function requestsOf({ request }: LiveVariant): PlainRequest[] {
  if (request === undefined) return [];
  const { method = 'PUT', path, headers, body } = request;
  return [{ method, path: String(path), headers: env.parse(headers ?? {}), ...(body !== undefined && { body }) }];
}

function checksOf({ verify }: LiveVariant): LiveCheck[] {
  const { path, sql, expect = null } = verify ?? {};
  return [
    ...(path === undefined ? [] : [{ kind: 'request', path: String(path), expect } as const]),
    ...(sql === undefined ? [] : [{ kind: 'sql', sql: String(sql), expect } as const]),
  ];
}

function switchPlace(name: string): LiveSetting['place'] {
  return placeOfSetting(name) === 'server' ? 'server' : 'database';
}
