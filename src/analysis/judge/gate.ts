import { PgsweepError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { shortened } from '../../base/visible.ts';
import { loadLabel, loadSize, sizeLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { MetricName } from '../read/metrics/metrics.ts';
import { namedMetrics } from '../read/metrics/work-metrics.ts';

/** What has to hold of the change of a metric against the control. */
export interface Gate {
  /** As it was written: `p99_ms < +10%`. */
  readonly text: string;
  readonly metric: MetricName;
  readonly holds: '<' | '<=' | '>' | '>=';
  readonly limitPercent: number;
  /** A load level by its name, `50 connections` or `50`; null: each of them. */
  readonly load: string | null;
  /** Null: each of them. */
  readonly variant: string | null;
}

/** Short names, as load tools print them. */
const shortNames: Readonly<Record<string, MetricName>> = {
  rps: 'requests_per_s',
  mean_ms: 'latency_mean_ms',
  p50_ms: 'latency_p50_ms',
  p95_ms: 'latency_p95_ms',
  p99_ms: 'latency_p99_ms',
  'p99.9_ms': 'latency_p99_9_ms',
};

const form = /^([^\s<>]+)\s*([<>]=?)\s*([+-]?\d+(?:\.\d+)?)\s*%(?:\s+at\s+(.+?))?(?:\s+of\s+(.+))?$/;
const LONGEST = 200;

/**
 * Reads a gate: METRIC, one of < <= > >=, PERCENT%, and if wanted `at` a load level and `of` a variant. Metrics have the
 * names that they have in metrics.csv, or a short one: rps, mean_ms, p50_ms, p95_ms, p99_ms, p99.9_ms. Throws PgsweepError `usage`.
 */
export function parseGate(written: string): Gate {
  const text = written.trim().replace(/\s+/g, ' ');
  const [, name = '', holds, limit, load = null, variant = null] = (text.length <= LONGEST && form.exec(text)) || [];
  if (holds === undefined) {
    throw new PgsweepError('usage', `"${shortened(text, 80)}" is no gate`, {
      hint: 'A gate says what has to hold of a change: METRIC < PERCENT, or >, <=, >=. Such as "p99_ms < +10%", "rps > -5% at 50 connections", "rps > -5% of pool=25".',
    });
  }
  const limitPercent = Number(limit);
  if (limitPercent <= -100) {
    throw new PgsweepError('usage', `"${text}": a change is always above -100 %`, {
      hint: 'The limit is a change against the control: -5% is 5 % less.',
    });
  }
  return { text, metric: metricOf(name, text), holds: holds as Gate['holds'], limitPercent, load, variant };
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

/** What there is to be gated: variants without the control. */
export interface Gated {
  /** Absent where its own changes are gated as well. */
  readonly control?: string;
  readonly variants: readonly string[];
  readonly loads: readonly LoadLevel[];
}

/** Throws PgsweepError `usage` for a gate of a variant or a load level that there is none of. */
export function requireGated(gates: readonly Gate[], { control, variants, loads }: Gated): void {
  for (const { text, variant, load } of gates) {
    if (variants.length === 0) throw new PgsweepError('usage', `"${text}": there is no variant besides the control`);
    if (variant === control) {
      throw new PgsweepError('usage', `"${text}": ${shortened(control, 60)} is the control, whose changes are none`, {
        hint: `Every gate compares with it. The others are ${variants.join(', ')}.`,
      });
    }
    if (variant !== null && !variants.includes(variant)) throw unknown(text, 'variant', variant, variants);
    if (load !== null && !loads.some((level) => isNamed(load, level))) {
      throw unknown(text, 'load level', load, loads.map(loadLabel));
    }
  }
}

/** Whether a gate is about this change. */
export function isAskedOf(
  gate: Gate,
  change: { readonly metric: string; readonly variant: string; readonly load: LoadLevel },
): boolean {
  const { metric, variant, load } = gate;
  if (metric !== change.metric || (variant !== null && variant !== change.variant)) return false;
  return load === null || isNamed(load, change.load);
}

/** Load levels that differ in what they send are named in full, or all at once by their size. */
function isNamed(name: string, load: LoadLevel): boolean {
  return [loadLabel(load), sizeLabel(load), String(loadSize(load))].includes(name);
}

function unknown(text: string, what: string, name: string, all: readonly string[]): PgsweepError {
  const near = nearest(name, all);
  return new PgsweepError('usage', `"${text}": there is no ${what} ${shortened(name, 60)} to be gated`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}There are ${all.join(', ')}.`,
  });
}
