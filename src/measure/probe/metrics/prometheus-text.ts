import { type Labels, parseHead } from '../../../journal/service/metric-names.ts';

/**
 * The text format of Prometheus, version 0.0.4, as https://prometheus.io/docs/instrumenting/exposition_formats/
 * describes it; of OpenMetrics, what services send that cannot be talked out of it (exemplars, `# EOF`).
 *
 * Read here and not by a package of npm's (parse-prometheus-text-format 1.1.1, of December 2024, declares no types): the
 * format is small, and a line that is not of it has to be an error with its number.
 */

const metricTypes = ['counter', 'gauge', 'histogram', 'summary', 'untyped'] as const;

export type MetricType = (typeof metricTypes)[number];

export interface SeriesValue {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Exposition {
  readonly types: ReadonlyMap<string, MetricType>;
  /** By name, in the order of the text. */
  readonly series: ReadonlyMap<string, readonly SeriesValue[]>;
}

/** A value, a timestamp that may be missing, and an exemplar (OpenMetrics). */
const REST = /^[ \t]*(\S+)(?:[ \t]+[-+]?[0-9][0-9.eE+-]*)?(?:[ \t]+#[ \t].*)?[ \t]*$/;
const NUMBER = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|0x[0-9a-f]+)$/i;

/** Reads what a service shows. Throws an Error with the line's number where a line is not of the format. */
export function parsePrometheusText(text: string): Exposition {
  const types = new Map<string, MetricType>();
  const series = new Map<string, SeriesValue[]>();
  for (const [index, untrimmed] of text.split('\n').entries()) {
    const line = untrimmed.trim();
    const type = /^#[ \t]+TYPE[ \t]+(\S+)[ \t]+(\S+)$/.exec(line);
    if (type !== null) types.set(type[1] ?? '', knownType(type[2]));
    if (line === '' || line.startsWith('#')) continue;
    const parsed = parseSeries(line);
    if (parsed === null)
      throw new Error(`line ${index + 1} is not in the text format of Prometheus: ${shortened(line)}`);
    const ofName = series.get(parsed.name) ?? [];
    ofName.push(parsed);
    series.set(parsed.name, ofName);
  }
  return { types, series };
}

function parseSeries(line: string): SeriesValue | null {
  const head = parseHead(line);
  const value = head === null ? null : parseValue(REST.exec(head.rest)?.[1] ?? '');
  return head === null || value === null ? null : { name: head.name, labels: head.labels, value };
}

/** As Go's ParseFloat: also NaN and Inf, in any case. */
function parseValue(text: string): number | null {
  if (NUMBER.test(text)) return Number(text);
  const [, sign, name] = /^([-+]?)(nan|inf|infinity)$/i.exec(text) ?? [];
  if (name === undefined) return null;
  if (name.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function knownType(text: string | undefined): MetricType {
  return metricTypes.find((type) => type === text) ?? 'untyped';
}

function shortened(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}...` : line;
}
