import type { CellSaturation } from '../analysis/saturation.ts';
import type { Scalability } from '../analysis/scalability.ts';
import type { Summary } from '../analysis/summary.ts';
import { loadLabel } from '../journal/load-level.ts';
import { formatCount, formatValue } from './format.ts';
import type { Table } from './table.ts';
import { foldedTables } from './why-tables.ts';

/** Why the numbers are as they are: at most one screen, and everything else folded away. */
export interface Why {
  /** The most telling first. */
  readonly findings: readonly { readonly text: string; readonly next: string }[];
  /** What was nearest its limit, and where throughput peaks. */
  readonly limits: readonly string[];
  readonly folded: readonly { readonly title: string; readonly tables: readonly Table[] }[];
}

/** Findings take about two lines each, so all of it is some 12 lines, or 20 on a narrow terminal. */
const MOST_FINDINGS = 4;
const MOST_SATURATIONS = 3;
const MOST_PEAKS = 2;

/** Null where no probe saw anything. */
export function whyOf(summary: Summary): Why | null {
  const { findings, saturation, scalability, averages } = summary;
  const isProbed = averages.some(({ probes }) => Object.keys(probes).length > 0);
  if (!isProbed && findings.length === 0 && saturation.length === 0) return null;
  const grouped = groupsOf(saturation, summary.run.control);
  const shown = findings.slice(0, MOST_FINDINGS);
  return {
    findings: shown.map(({ text, next }) => ({ text, next })),
    limits: [
      ...(findings.length === 0 ? ['No cross-check found anything wrong.'] : []),
      ...limited(grouped, MOST_SATURATIONS, 'more groups of cells below'),
      ...limited(scalability.map(peakLine), MOST_PEAKS, 'more variants in summary.json'),
    ],
    folded: foldedTables(summary, findings.slice(MOST_FINDINGS)),
  };
}

function limited(lines: readonly string[], most: number, more: string): string[] {
  const left = lines.length - most;
  return left <= 0 ? [...lines] : [...lines.slice(0, most), `${formatCount(left)} ${more}.`];
}

/** One line for all cells of a load level that agree on what was nearest its limit. */
function groupsOf(saturation: readonly CellSaturation[], control: string): string[] {
  const groups = new Map<string, CellSaturation[]>();
  for (const cell of saturation) {
    const key = `${loadLabel(cell.load)} ${cell.resource} ${cell.isLimit}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const sorted = [...groups.values()].sort((a, b) => mostUse(b) - mostUse(a));
  return sorted.flatMap((cells) => {
    const [first] = cells;
    if (first === undefined) return [];
    const names = [...new Set(cells.map(({ variant }) => (variant === control ? `${variant} (control)` : variant)))];
    const who = names.length > 4 ? `${names.length} variants` : names.join(', ');
    const said = first.isLimit ? 'at its limit' : 'nothing was at its limit, nearest';
    return [`${loadLabel(first.load)}, ${who}: ${said}: ${first.text}.`];
  });
}

function mostUse(cells: readonly CellSaturation[]): number {
  return Math.max(...cells.map(({ utilisation }) => utilisation));
}

function peakLine({ variant, workload, peak, refused }: Scalability): string {
  const who = workload === null ? variant : `${variant}, ${workload}`;
  if (peak === null) return `${who}: no peak by the Universal Scalability Law: ${refused}.`;
  const [low, high] = peak.interval.map(formatValue);
  return `${who}: throughput peaks at ${formatValue(peak.connections)} connections (${low} to ${high}), ${formatValue(peak.requestsPerSecond)}/s, by the Universal Scalability Law.`;
}
