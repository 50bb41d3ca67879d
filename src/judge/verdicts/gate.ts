import { PgsweepError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { shortened } from '../../base/visible.ts';
import { loadLabel, loadSize, sizeLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { latencyNames, type MetricName } from '../read/metrics/metrics.ts';
import { namedMetrics } from '../read/metrics/work-metrics.ts';
import type { Setting } from './variant-order.ts';

interface AnyGate {
  /** As it was written: `p99_ms < +10%`. */
  readonly text: string;
  /** A load level by its name, `50 connections` or `50`; null: each of them. */
  readonly load: string | null;
}

/** A limit on the change of a metric against the control. */
export interface ChangeGate extends AnyGate {
  readonly kind: 'change';
  readonly metric: MetricName;
  readonly holds: '<' | '<=' | '>' | '>=';
  readonly limitPercent: number;
  /** Null: each of them. */
  readonly variant: string | null;
}

/** The setting that has to be the one to take: `recommended == pool=10`. */
export interface DecisionGate extends AnyGate {
  readonly kind: 'decision';
  /** A variant, or its short name: `pool=10` or `10`. */
  readonly setting: string;
}

export type Gate = ChangeGate | DecisionGate;

/** Gates, and what becomes of a command whose gates are unclear. */
export interface GateChoice {
  readonly gates: readonly Gate[];
  readonly unclear: 'fail' | 'pass';
}

export const noGates: GateChoice = { gates: [], unclear: 'fail' };

/** `pass`: all of the interval holds, or the setting is the one to take. `fail`: none of it does, or it is not. `unclear`: neither. */
export type GateOutcome = 'pass' | 'fail' | 'unclear';

/** The outcome of a gate of any kind. */
export interface GateVerdict {
  /** As it was written: `p99_ms < +10%`. */
  readonly gate: string;
  readonly outcome: GateOutcome;
  /** True where the command exits with code 4 because of it: it fails, or is unclear and that was not allowed. */
  readonly failed: boolean;
  /** Time until it is decided at the present pace; null where that is not known. */
  readonly moreMinutes: number | null;
}

export interface GateRules extends GateChoice {
  /** How long a round takes; null where that is not known. */
  readonly roundMs: number | null;
}

const shortNames: Readonly<Record<string, MetricName>> = { rps: 'requests_per_s', ...latencyNames };

const form = /^([^\s<>]+)\s*([<>]=?)\s*([+-]?\d+(?:\.\d+)?)\s*%(?:\s+at\s+(.+?))?(?:\s+of\s+(.+))?$/;
const ofDecision = /^recommended\s*([<>=!~]+)\s*(.*?)(?:\s+at\s+(.+))?$/;
const LONGEST = 200;

/**
 * Parses a gate: METRIC, one of < <= > >=, PERCENT%, optionally `at` a load level and `of` a variant. Or `recommended
 * ==` a setting, optionally `at` a load level. Metrics have their names of metrics.csv, or a short one: rps, mean_ms,
 * p50_ms, p95_ms, p99_ms, p99.9_ms. Throws PgsweepError `usage`.
 */
export function parseGate(written: string): Gate {
  const text = written.trim().replace(/\s+/g, ' ');
  const isShort = text.length <= LONGEST;
  const [, operator, setting = '', level = null] = (isShort && ofDecision.exec(text)) || [];
  if (operator !== undefined) {
    if (operator === '==' && setting !== '') return { kind: 'decision', text, setting, load: level };
    const message = operator === '==' ? 'there is no setting after ==' : `${operator} cannot stand after recommended`;
    throw new PgsweepError('usage', `"${text}": ${message}`, {
      hint: 'A decision names a setting: recommended == SETTING. Such as "recommended == pool=10", "recommended == 10 at 50 connections".',
    });
  }
  const [, name = '', holds, limit, load = null, variant = null] = (isShort && form.exec(text)) || [];
  if (holds === undefined) {
    throw new PgsweepError('usage', `"${shortened(text, 80)}" is no gate`, {
      hint: 'A gate says what has to hold of a change: METRIC < PERCENT, or >, <=, >=. Such as "p99_ms < +10%", "rps > -5% at 50 connections", "rps > -5% of pool=25". Or which setting has to be recommended: "recommended == pool=10".',
    });
  }
  const limitPercent = Number(limit);
  if (limitPercent <= -100) {
    throw new PgsweepError('usage', `"${text}": a change is always above -100 %`, {
      hint: 'The limit is a change against the control: -5% is 5 % less.',
    });
  }
  const metric = metricOf(name, text);
  return { kind: 'change', text, metric, holds: holds as ChangeGate['holds'], limitPercent, load, variant };
}

function metricOf(name: string, text: string): MetricName {
  const metric = metricNamed(name);
  if (metric !== null) return metric;
  throw unknown(text, 'metric', name, [...Object.keys(shortNames), ...namedMetrics.map(({ name: one }) => one)]);
}

/** The metric of a name as in metrics.csv, or of a short one; null where there is none. */
export function metricNamed(name: string): MetricName | null {
  const found = namedMetrics.find((metric) => metric.name === name)?.name;
  return found ?? (Object.hasOwn(shortNames, name) ? (shortNames[name] ?? null) : null);
}

/** Variants and load levels that a gate may name: the control is none of them. */
export interface Gated {
  /** Absent where its own changes are gated as well. */
  readonly control?: string;
  readonly variants: readonly string[];
  readonly loads: readonly LoadLevel[];
  /** Settings that can be recommended; absent where nothing is decided. */
  readonly settings?: readonly Setting[];
}

/** Throws PgsweepError `usage` for a gate of a variant, a setting or a load level that there is none of: it would have no result, and so pass. */
export function requireGated(gates: readonly Gate[], { control, variants, loads, settings }: Gated): void {
  for (const gate of gates) {
    const { text, load } = gate;
    if (variants.length === 0) throw new PgsweepError('usage', `"${text}": there is no variant besides the control`);
    if (gate.kind === 'decision') requireRecommends(gate, settings);
    if (loads.length === 0) throw withoutLevels(gate);
    if (gate.kind === 'change') requireVariant(gate, variants, control);
    else requireSetting(gate, settings ?? []);
    if (load !== null && !loads.some((level) => isNamed(load, level))) {
      throw unknown(text, 'load level', load, loads.map(loadLabel));
    }
  }
}

function requireVariant({ text, variant }: ChangeGate, variants: readonly string[], control?: string): void {
  if (variant !== null && variant === control) {
    throw new PgsweepError('usage', `"${text}": ${shortened(control, 60)} is the control, which has no change`, {
      hint: `Every gate compares with it. The others are ${variants.join(', ')}.`,
    });
  }
  if (variant !== null && !variants.includes(variant)) throw unknown(text, 'variant', variant, variants);
}

function requireRecommends({ text }: DecisionGate, settings?: readonly Setting[]): void {
  if (settings !== undefined) return;
  throw new PgsweepError('usage', `"${text}": a comparison of two runs recommends no setting`, {
    hint: 'Give it to pgsweep sweep, report or merge.',
  });
}

/** A search for capacities chooses its load levels, and no change is judged under one of them. */
function withoutLevels({ text, kind }: Gate): PgsweepError {
  const none = kind === 'change' ? 'compares no metric at a load level' : 'recommends no setting';
  return new PgsweepError('usage', `"${text}": a run with load.capacity ${none}`, {
    hint: 'Leave the gate out, or name load levels in the scenario, such as load: { connections: [25] }.',
  });
}

function requireSetting(gate: DecisionGate, settings: readonly Setting[]): void {
  if (settingOf(gate, settings) !== null) return;
  const names = settings.map(({ variant }) => variant);
  const near =
    nearest(gate.setting, names) ??
    nearest(
      gate.setting,
      settings.map(({ label }) => label),
    );
  throw unknown(gate.text, 'setting', gate.setting, names, near);
}

/** The setting that has to be the one to take, by its name or its short one; null where there is none of it. */
export function settingOf({ setting }: DecisionGate, settings: readonly Setting[]): Setting | null {
  return settings.find(({ variant }) => variant === setting) ?? settings.find(({ label }) => label === setting) ?? null;
}

/** True where a gate applies to this change. */
export function isAskedOf(
  gate: ChangeGate,
  change: { readonly metric: string; readonly variant: string; readonly load: LoadLevel },
): boolean {
  const { metric, variant } = gate;
  if (metric !== change.metric || (variant !== null && variant !== change.variant)) return false;
  return isAskedAt(gate, change.load);
}

/** True where a gate applies to this load level. */
export function isAskedAt({ load }: Pick<Gate, 'load'>, level: LoadLevel): boolean {
  return load === null || isNamed(load, level);
}

/** Load levels that differ in what they send are named in full, or all at once by their size. */
function isNamed(name: string, load: LoadLevel): boolean {
  return [loadLabel(load), sizeLabel(load), String(loadSize(load))].includes(name);
}

function unknown(
  text: string,
  what: string,
  name: string,
  all: readonly string[],
  near = nearest(name, all),
): PgsweepError {
  return new PgsweepError('usage', `"${text}": there is no ${what} ${shortened(name, 60)} to be gated`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}There are ${all.join(', ')}.`,
  });
}
