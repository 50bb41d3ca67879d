import type { SearchCurve, SearchSummary, Trial } from '../../judge/tune/summarize-search.ts';
import { type Axis, linearAxis, type Plot, type Point, placesAxis } from './plot.ts';

/** Points of the model, and ticks below them: more stand too close. */
const [MOST_POINTS, MOST_TICKS] = [20, 7];

/** The model of a search along each of its factors, with its range; of a single factor with what was measured, too. */
export function searchCurves(search: SearchSummary | undefined): Plot[] {
  const { curves = [], trials = [] } = search ?? {};
  return curves.map((curve) => curvePlot(curve, curves.length === 1 ? trials : []));
}

function curvePlot({ factor, points }: SearchCurve, trials: readonly Trial[]): Plot {
  const every = Math.ceil(points.length / MOST_POINTS);
  const model = points.flatMap(({ percent, range }, x): Point[] =>
    x % every === 0 || x === points.length - 1 ? [{ x, y: percent, interval: range }] : [],
  );
  const measured = trials.flatMap(({ factors, measuredPercent }): Point[] => {
    const x = points.findIndex(({ value }) => String(value) === String(factors[factor]));
    // A gap after each: no line joins what was measured.
    return x < 0 || measuredPercent === null
      ? []
      : [
          { x, y: measuredPercent },
          { x, y: null },
        ];
  });
  const values = [...model, ...measured].flatMap(({ y, interval }) => [y ?? [], interval ?? []].flat());
  const lines = [{ name: 'model', style: 0, points: model }];
  return {
    title: `Change by ${factor}, as the search sees it`,
    x: thinned(
      placesAxis(
        factor,
        points.map(({ value }) => String(value)),
      ),
    ),
    y: linearAxis('change against the control, %', values),
    lines: measured.length === 0 ? lines : [...lines, { name: 'measured', style: 1, points: measured }],
  };
}

function thinned(axis: Axis): Axis {
  const every = Math.ceil(axis.ticks.length / MOST_TICKS);
  return { ...axis, ticks: axis.ticks.filter((_, place) => place % every === 0) };
}
