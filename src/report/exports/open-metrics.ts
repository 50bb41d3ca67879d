import { visible } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { allMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Averages and changes of a run as OpenMetrics text (prometheus.io/docs/specs/om/open_metrics_spec), all of them gauges; a
 * pushgateway takes it as it is.
 */
export function openMetricsText({ run, averages, comparisons }: Summary): string {
  const { scenario } = run;
  const families = allMetrics.map(({ name, label }) =>
    family(
      `pgsweep_${name}`,
      `${label}, the average over rounds`,
      averages.map(({ variant, load, repeat, metrics }) => [
        { scenario, variant, load: loadLabel(load), repeat: String(repeat) },
        metrics[name],
      ]),
    ),
  );
  const changes = (
    name: string,
    help: string,
    pick: (row: Summary['comparisons'][number]) => number | null,
  ): string[] =>
    family(
      name,
      help,
      comparisons.map((row) => [
        { scenario, variant: row.variant, load: loadLabel(row.load), metric: row.metric, verdict: row.verdict },
        pick(row),
      ]),
    );
  const lines = [
    ...families.flat(),
    ...changes('pgsweep_change_percent', 'change against the control', ({ deltaPercent }) => deltaPercent),
    ...changes('pgsweep_change_low_percent', 'low end of its interval', ({ interval }) => interval?.[0] ?? null),
    ...changes('pgsweep_change_high_percent', 'high end of its interval', ({ interval }) => interval?.[1] ?? null),
    '# EOF',
  ];
  return `${lines.join('\n')}\n`;
}

/** One metric family; none where nothing has a value. */
function family(name: string, help: string, samples: readonly (readonly [Labels, number | null])[]): string[] {
  const lines = samples.flatMap(([labels, value]) =>
    value === null ? [] : [`${name}{${labelsText(labels)}} ${value}`],
  );
  return lines.length === 0 ? [] : [`# TYPE ${name} gauge`, `# HELP ${name} ${help}`, ...lines];
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

/** Escapes a label value. Invisible characters become visible first: their backslash is then escaped like any other. */
function escaped(text: string): string {
  return visible(text).replace(/\\/g, '\\\\').replace(/"/g, '\\"');
}
