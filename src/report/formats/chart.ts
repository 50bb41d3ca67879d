import { requestsPerSecond } from '../../analysis/read/metrics/metrics.ts';
import type { Summary } from '../../analysis/summary.ts';
import { visibleTexts } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';

/** A picture of a finding: a file name without its ending, a title for people, and the SVG text. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  readonly svg: string;
}

/** By verdict. */
const COLOURS = {
  higher: '#2e7d32',
  lower: '#c62828',
  same: '#546e7a',
  noise: '#9e9e9e',
  unfit: '#bdbdbd',
  'no verdict': '#bdbdbd',
} as const;

/**
 * Draws the change of 2xx/s of each variant against the control with its interval, a panel per load level, by Vega-Lite
 * and without a browser. None where nothing was compared.
 */
export async function drawCharts({ comparisons, run: asRecorded }: Summary): Promise<Chart[]> {
  const run = visibleTexts(asRecorded);
  const values = visibleTexts(comparisons)
    .filter(({ metric, deltaPercent }) => metric === requestsPerSecond.name && deltaPercent !== null)
    .map(({ variant, load, deltaPercent, interval, verdict }) => ({
      variant: named(variant),
      load: named(loadLabel(load)),
      delta: deltaPercent,
      low: interval?.[0] ?? null,
      high: interval?.[1] ?? null,
      verdict: interval === null ? 'no verdict' : verdict,
    }));
  if (values.length === 0) return [];
  const title = `Change of 2xx/s against ${run.control}`;
  return [{ name: 'requests_per_s', title, svg: await toSvg(specification(run, values, title)) }];
}

function specification(
  { marginPercent, loads, variants }: Summary['run'],
  values: readonly ({ verdict: string } & object)[],
  title: string,
): object {
  const x = { type: 'quantitative', axis: { title: 'percent, with interval', grid: true } };
  const y = { field: 'variant', type: 'nominal', sort: variants.map(named), axis: { title: null } };
  const verdicts = Object.keys(COLOURS).filter((word) => values.some(({ verdict }) => verdict === word));
  const color = {
    field: 'verdict',
    type: 'nominal',
    scale: { domain: verdicts, range: verdicts.map((word) => COLOURS[word as keyof typeof COLOURS]) },
    legend: { title: null, orient: 'bottom' },
  };
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    title: { text: title, anchor: 'start' },
    data: { values },
    facet: {
      row: {
        field: 'load',
        type: 'nominal',
        sort: loads.map((load) => named(loadLabel(load))),
        header: { title: null, labelAngle: 0, labelAlign: 'left', labelOrient: 'top' },
      },
    },
    spec: {
      width: 560,
      height: { step: 22 },
      layer: [
        {
          mark: { type: 'rect', color: '#eceff1', tooltip: null },
          encoding: { x: { datum: -marginPercent, ...x }, x2: { datum: marginPercent } },
        },
        { mark: { type: 'rule', color: '#455a64' }, encoding: { x: { datum: 0 } } },
        {
          transform: [{ filter: 'datum.low !== null' }],
          mark: { type: 'rule', strokeWidth: 2 },
          encoding: { y, x: { field: 'low', ...x }, x2: { field: 'high' }, color },
        },
        {
          mark: { type: 'point', filled: true, size: 60, opacity: 1 },
          encoding: { y, x: { field: 'delta', ...x }, color },
        },
      ],
    },
  };
}

/** Vega looks names up in plain objects, where `constructor` is there already. A space before a text is not drawn. */
function named(text: string): string {
  return ` ${text}`;
}

/** Both libraries are large, and only a report that is written needs them. */
async function toSvg(spec: object): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const { spec: compiled } = vegaLite.compile(spec as import('vega-lite').TopLevelSpec);
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
