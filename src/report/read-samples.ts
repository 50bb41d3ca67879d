import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readTextStart } from '../base/files/read-text.ts';
import { loadKey, sliceTraitsOf } from '../journal/load-level.ts';
import type { PlaceInPass } from '../judge/read/rounds/pass-times.ts';
import { PARTS } from '../judge/read/rounds/turn-rates.ts';
import type { ArmCell, RunData } from '../judge/read/run-data.ts';

/** Samples of probes over time: means over equal parts of each pass. */
export interface Samples {
  readonly series: readonly SampledSeries[];
  /** Files that are longer than what is read of them. */
  readonly cutOff: readonly string[];
}

export interface SampledSeries {
  /** `lock_sessions`, or the service's own name of a gauge. */
  readonly name: string;
  /** By round, a mean for each part of the pass; null where nothing was sampled. */
  of(cell: ArmCell): ReadonlyMap<number, readonly (number | null)[]>;
}

/** Some seven hours of the fastest probe. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Parts of a slice of a bounded run, whose course is drawn. */
const BOUNDED_PARTS = 60;
/** A service may show thousands of gauges. */
const MOST_SERIES = 100;

interface Sums {
  readonly sums: number[];
  readonly counts: number[];
}

type ByRound = Map<number, Sums>;

/**
 * Reads sessions by what they did (samples/wait-events.csv) and the service's gauges (samples/service-metrics.csv) of
 * some variants; of a bounded run also CPU and memory (samples/processes.csv). A run folder may come from elsewhere: only
 * plain files are read, and only this much of each. Anything that is no such table is ignored.
 */
export function readSamples(
  runFolder: string,
  data: RunData,
  variants: ReadonlySet<string>,
  mostBytes = MOST_BYTES,
): Samples {
  const series = new Map<string, Map<string, ByRound>>();
  const folder = join(runFolder, 'samples');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { series: [], cutOff: [] };
  const add = (name: string, text: string | number | undefined, place: PlaceInPass): void => {
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    if (!Number.isFinite(value) || (series.size >= MOST_SERIES && !series.has(name))) return;
    const cells = series.get(name) ?? new Map<string, ByRound>();
    series.set(name, cells);
    addTo(cells, place, value, parts);
  };
  const { showsCourse } = sliceTraitsOf(data.scenario.load);
  const parts = showsCourse ? BOUNDED_PARTS : PARTS;
  const cutOff = Object.entries(files).filter(([name, visitor]) => {
    // It is sampled often only there.
    if (name === 'processes.csv' && !showsCourse) return false;
    const visit = visitor();
    const found = readTextStart(join(folder, name), mostBytes);
    if (found === null) return false;
    const text = found.isWhole ? found.text : found.text.slice(0, found.text.lastIndexOf('\n') + 1);
    const [head, ...rows] = rowsOf(text);
    if (head?.slice(0, PLACE_COLUMNS.length).join() !== PLACE_COLUMNS.join()) return false;
    for (const [at = '', round, slice, arm = '', ...values] of rows) {
      // A name that a spreadsheet would calculate stands behind an apostrophe.
      const sampled = { round: Number(round), slice: Number(slice), arm: arm.replace(/^'(?=[=+\-@])/, '') };
      const place = data.placeIn(sampled, Date.parse(at));
      if (place !== null && variants.has(place.variant)) {
        const row = { atMs: Date.parse(at), slice: `${round} ${slice} ${arm}` };
        visit(head.slice(PLACE_COLUMNS.length), values, (series, value) => add(series, value, place), row);
      }
    }
    return !found.isWhole;
  });
  return {
    series: [...series].map(([name, cells]) => ({ name, of: (cell) => meansOf(cells.get(cellKey(cell))) })),
    cutOff: cutOff.map(([name]) => `samples/${name}`),
  };
}

const PLACE_COLUMNS = ['at', 'round', 'slice', 'arm'];

type Visit = (
  columns: readonly string[],
  values: readonly string[],
  add: (series: string, value: string | number | undefined) => void,
  row: { readonly atMs: number; readonly slice: string },
) => void;

/** By file, what a row of it says to who has read those before. */
const files: Readonly<Record<string, () => Visit>> = {
  'wait-events.csv': () => (columns, values, add) => {
    for (const [place, column] of columns.entries()) add(`${column}_sessions`, values[place]);
  },
  'service-metrics.csv':
    () =>
    (_, [metric, statistic, value], add) => {
      if (metric !== undefined && statistic === 'value') add(metric, value);
    },
  'processes.csv': visitProcesses,
};

/** CPU is counted up: what lies between two samples of one slice. */
function visitProcesses(): Visit {
  const before = new Map<string, { readonly atMs: number; readonly cpuS: number }>();
  return (columns, [role, ...values], add, { atMs, slice }) => {
    const of = (column: string): string | undefined => values[columns.indexOf(column) - 1];
    if (role === undefined || !drawnRoles.has(role)) return;
    add(`${role}_memory_bytes`, of('memory_bytes'));
    const cpuS = Number(of('cpu_s') || Number.NaN);
    const last = before.get(`${slice} ${role}`);
    before.set(`${slice} ${role}`, { atMs, cpuS });
    if (last !== undefined && atMs > last.atMs)
      add(`${role}_cpu_cores`, (1000 * (cpuS - last.cpuS)) / (atMs - last.atMs));
  };
}

const drawnRoles: ReadonlySet<string> = new Set(['service', 'postgres', 'opensearch', 'generator']);

function rowsOf(text: string): string[][] {
  try {
    return parse(text, { relax_column_count: true, relax_quotes: true });
  } catch {
    return [];
  }
}

function cellKey({ variant, load, repeat }: ArmCell): string {
  return JSON.stringify([variant, loadKey(load), repeat]);
}

function addTo(cells: Map<string, ByRound>, place: PlaceInPass, value: number, parts: number): void {
  const key = cellKey(place);
  const rounds = cells.get(key) ?? new Map<number, Sums>();
  cells.set(key, rounds);
  const zeros = (): number[] => new Array<number>(parts).fill(0);
  const known = rounds.get(place.round) ?? { sums: zeros(), counts: zeros() };
  rounds.set(place.round, known);
  const part = Math.min(parts - 1, Math.floor(parts * place.share));
  known.sums[part] = (known.sums[part] ?? 0) + value;
  known.counts[part] = (known.counts[part] ?? 0) + 1;
}

function meansOf(rounds: ByRound | undefined): ReadonlyMap<number, readonly (number | null)[]> {
  return new Map(
    [...(rounds ?? [])].map(([round, { sums, counts }]) => [
      round,
      counts.map((count, part) => (count === 0 ? null : (sums[part] ?? 0) / count)),
    ]),
  );
}
