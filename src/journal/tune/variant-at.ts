import type { LiveSwitch } from '../live-switch.ts';
import { gridName } from '../run/grid-name.ts';
import type { FactorValue, Treatment, Variant } from '../scenario-record.ts';
import type { TunedFactor, TuneSpec } from './tune-spec.ts';

/** The value of an index factor that hides its index. */
export const HIDDEN = 'hidden';

/** The value of a factor that is left as it is, which is the control's where the scenario names none. */
export const DEFAULT = 'default';
/** Its place: a whole range below the others, since nobody knows which of them it is. */
export const DEFAULT_PLACE = -1;

/** The setting of a space with the value at each place, over what the control has, and named by what it has otherwise. */
export function variantAt({ factors }: TuneSpec, point: readonly number[], all: Partial<Variant> = {}): Variant {
  const { treatment: _, ...common } = all;
  const values = factors.map((factor, place) => ({ factor, value: factor.values[point[place] ?? 0] ?? '' }));
  const own = Object.fromEntries(values.map(({ factor, value }) => [factor.name, value]));
  const isSet = ({ places }: TunedFactor, index = 0): boolean => places?.[index] !== DEFAULT_PLACE;
  const setBy = (key: 'env' | 'setting'): Record<string, string> =>
    Object.fromEntries(
      values.flatMap(({ factor, value }, place) =>
        factor[key] && isSet(factor, point[place]) ? [[factor[key], String(value)]] : [],
      ),
    );
  const other = Object.entries(own).filter(([name, value]) => String(all.factors?.[name]) !== String(value));
  const name = other.length > 0 ? gridName(Object.fromEntries(other)) : (all.name ?? '');
  const hideIndex = values.flatMap(({ factor, value }) =>
    factor.hideIndex !== undefined && value === HIDDEN ? [factor.hideIndex] : [],
  );
  const settings = setBy('setting');
  if (factors.some(({ live }) => live !== undefined)) {
    const live: LiveSwitch = {
      settings: factors.flatMap(({ setting, live: place = 'database' }) =>
        setting === undefined ? [] : [{ name: setting, value: settings[setting] ?? null, place }],
      ),
      indexes: factors.flatMap(({ hideIndex: index }) =>
        index === undefined ? [] : [{ name: index, hidden: hideIndex.includes(index) }],
      ),
      ...{ sql: [], reconnect: true, requests: [], checks: [] },
    };
    return { ...common, name, factors: own, env: {}, live };
  }
  const treatment: Treatment = { settings, dropIndex: [], createIndex: [], hideIndex, sql: [] };
  const isTreated = hideIndex.length > 0 || Object.keys(settings).length > 0;
  return { ...common, name, factors: own, env: setBy('env'), ...(isTreated && { treatment }) };
}

/** The places of a variant's values in a space; null where one of them is not in it. */
export function pointOfVariant({ factors }: TuneSpec, { factors: own }: Pick<Variant, 'factors'>): number[] | null {
  const places = factors.map((factor) => placeOf(factor, own[factor.name]));
  return places.includes(-1) ? null : places;
}

/** The control, with the smallest value of each factor that it leaves as it is. */
export function setVariant(tune: TuneSpec, control: Variant): Variant {
  const point = tune.factors.map((factor) => {
    const place = Math.max(0, placeOf(factor, control.factors[factor.name]));
    return factor.places?.[place] === DEFAULT_PLACE ? place + 1 : place;
  });
  return variantAt(tune, point, control);
}

/** The place of a value of a factor, however it is written; -1 where it has none such. */
export function placeOf({ values }: Pick<TunedFactor, 'values'>, value: FactorValue | undefined): number {
  return values.findIndex((one) => String(one) === String(value));
}
