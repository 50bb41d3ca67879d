import { visibleTexts } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { plural } from '../../judge/format.ts';
import { loadMetrics } from '../../judge/read/metrics/judged-metric.ts';
import { durationMetric, requestsPerSecond } from '../../judge/read/metrics/metrics.ts';
import type { RunData } from '../../judge/read/run-data.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Samples } from '../read-samples.ts';
import type { Table } from '../tables/table.ts';
import { judgedName } from '../words/judged.ts';
import { type ChangeBars, changeBars } from './change-bars.ts';
import { type DrawnArm, drawnArms, MOST_DRAWN } from './drawn-arms.ts';
import { latencyCurve, percentilesTable } from './latency-curves.ts';
import { loadCurves } from './load-curves.ts';
import type { Line, Plot } from './plot.ts';
import { roundCurve, roundsTable } from './round-curves.ts';
import { searchCurves } from './search-curves.ts';
import { timeCurves } from './time-curves.ts';

/** Everything that is drawn of a run, as plain data. Texts are on one line and hold nothing that a terminal would obey. */
export interface Pictures {
  /** The arms that have lines in every plot, the control first. */
  readonly arms: readonly Pick<Line, 'name' | 'style'>[];
  /** Notes on what is not drawn, and where it stands. */
  readonly leftOut: readonly string[];
  /** Over the values of each factor of a search; empty in other runs. */
  readonly search: readonly Plot[];
  /** Over load levels; empty where there is one alone. */
  readonly overLoads: readonly Plot[];
  readonly loads: readonly LoadPictures[];
  /** The metric of the curves by round: `2xx/s`. */
  readonly judged: string;
}

/** The pictures of one load level. */
export interface LoadPictures {
  /** `25 connections` */
  readonly load: string;
  /** By metric, the headline's first. */
  readonly changes: readonly { readonly label: string; readonly bars: ChangeBars }[];
  readonly latency: readonly Plot[];
  readonly percentiles: Table | null;
  readonly overTime: readonly Plot[];
  readonly rounds: readonly Plot[];
  readonly roundTables: readonly Table[];
}

/** Cells of the tables round by round. */
const MOST_CELLS = 12_000;
const tabled: ReadonlySet<string> = new Set([requestsPerSecond.name, 'latency_mean_ms', durationMetric.name]);

/** Draws a run. What would be too much for a page is left out, and named. */
export function picturesOf(data: RunData, summary: Summary, samples: Samples): Pictures {
  const arms = drawnArms(data, summary);
  const { rounds, loads, variants } = summary.run;
  const isLarge = rounds * (variants.length + 1) * loads.length * tabled.size > MOST_CELLS;
  const only = isLarge ? new Set(arms.map(({ name }) => name)) : null;
  const leftOut = [
    ...(variants.length - 1 > MOST_DRAWN
      ? [
          `Lines are drawn for the control and ${MOST_DRAWN} of ${plural(variants.length - 1, 'variant')}: what is recommended, then the largest changes of ${judgedName(summary.run)} that have a verdict. The tables have all of them.`,
        ]
      : []),
    ...(isLarge ? ['Values by round stand here for these arms alone; metrics.csv has all of them.'] : []),
    ...samples.cutOff.map((file) => `${file} is long: what is drawn of it ends before the run does.`),
  ];
  return visibleTexts({
    arms: arms.map(({ name, style }) => ({ name, style })),
    leftOut,
    search: searchCurves(summary.search),
    overLoads: loadCurves(data, arms),
    loads: loads.map((load) => loadPictures(data, summary, { load, arms, samples, only })),
    judged: judgedName(summary.run),
  });
}

/** The variants whose samples are drawn. */
export function drawnVariants(data: RunData, summary: Summary): ReadonlySet<string> {
  return new Set(drawnArms(data, summary).map(({ name }) => name));
}

interface Wanted {
  readonly load: LoadLevel;
  readonly arms: readonly DrawnArm[];
  readonly samples: Samples;
  readonly only: ReadonlySet<string> | null;
}

function loadPictures(data: RunData, summary: Summary, { load, arms, samples, only }: Wanted): LoadPictures {
  const ofLoad = loadMetrics(data.scenario.load).filter(({ group }) => group === 'load');
  return {
    load: loadLabel(load),
    changes: ofLoad.flatMap((metric) => {
      const bars = changeBars(summary, load, metric);
      return bars === null ? [] : [{ label: metric.label, bars }];
    }),
    latency: latencyCurve(data, arms, load),
    percentiles: percentilesTable(data, summary, load),
    overTime: timeCurves(data, arms, load, samples),
    rounds: roundCurve(data, arms, load),
    roundTables: ofLoad
      .filter(({ name }) => tabled.has(name))
      .map((metric) => roundsTable(data, summary, load, metric, only)),
  };
}
