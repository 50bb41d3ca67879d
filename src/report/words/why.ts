import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { loadKey, loadLabel, loadSize } from '../../journal/load-level.ts';
import { type CellSaturation, type Resource, sawCpus } from '../../judge/explain/saturation.ts';
import type { Summary } from '../../judge/summary.ts';
import { partResources } from '../parts/parts.ts';
import { againName } from '../tables/arm-name.ts';
import { type FoldedTables, foldedTables } from '../tables/why-tables.ts';

/** Why the numbers are as they are: at most one screen, and everything else folded away. */
export interface Why {
  /** The most telling first. */
  readonly findings: readonly { readonly text: string; readonly next: string }[];
  /** The resources nearest their limit. */
  readonly limits: readonly string[];
  readonly folded: readonly FoldedTables[];
}

/** Findings take about two lines each, so all of it is some 12 lines, or 20 on a narrow terminal. */
const MOST_FINDINGS = 4;
const MOST_SATURATIONS = 3;
/** Resources far from their limit stand in the folded table. */
const MOST_USES = 5;
const LEAST_USE = 0.1;

/** Null where no probe saw anything. */
export function whyOf(summary: Summary): Why | null {
  const { findings, saturation, averages } = summary;
  const isProbed = averages.some(({ probes }) => Object.keys(probes).length > 0);
  if (!isProbed && findings.length === 0 && saturation.length === 0) return null;
  const grouped = groupsOf(saturation, summary.run);
  const shown = findings.slice(0, MOST_FINDINGS);
  const further = findings.slice(MOST_FINDINGS);
  return {
    findings: shown.map(({ text, next }) => ({ text, next })),
    limits: present([
      findings.length === 0 && 'No cross-check found anything wrong.',
      further.length > 0 &&
        `Also found (see "Every cell" in the report): ${further.map(({ name }) => name).join(', ')}.`,
      ...limited(grouped, MOST_SATURATIONS, 'For other cells see "Every cell" in the report.'),
    ]),
    folded: foldedTables(summary, further),
  };
}

function limited(lines: readonly string[], most: number, more: string): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), more];
}

/** One line for all cells that agree on what was nearest its limit: variants of a load level, then load levels. */
function groupsOf(saturation: readonly CellSaturation[], run: Summary['run']): string[] {
  const known = saturation.filter((cell) => cell.isLimit || sawCpus(cell));
  const ofLevels = groupBy(known, (cell) => `${loadKey(cell.load)} ${kindOf(cell)}`);
  const groups = groupBy(ofLevels, (cells) => `${kindOf(cells[0])} ${namesOf(cells, run.control)}`);
  return groups
    .map((levels) => levels.flat())
    .sort((a, b) => named(b) - named(a) || mostUse(b) - mostUse(a))
    .map((cells) => groupLine(cells, run));
}

function groupLine(cells: readonly CellSaturation[], { control, loads }: Summary['run']): string {
  const [nearest] = [...cells].sort((a, b) => tenths(b) - tenths(a) || loadSize(b.load) - loadSize(a.load));
  const levels = new Map(cells.map(({ load }) => [loadKey(load), loadLabel(load)]));
  const labels = [...levels.values()];
  const where = levels.size > 2 && levels.size === loads.length ? 'under every load' : labels.slice(0, 3).join('; ');
  const more = where !== 'under every load' && labels.length > 3 ? ` and ${labels.length - 3} more load levels` : '';
  const telling = nearest?.uses.filter((use, place) => place === 0 || use.utilisation >= LEAST_USE) ?? [];
  const uses = telling.slice(0, MOST_USES).map(({ text }) => text);
  const name = nearest === undefined ? '' : resourceNames[nearest.resource];
  const said = nearest?.isLimit ? `limited by ${name}` : `nothing is at its limit, nearest is ${name}`;
  // The numbers are of one cell.
  const of = cells.length > 1 && nearest !== undefined ? ` in ${nearest.variant}, ${loadLabel(nearest.load)}` : '';
  return `${namesOf(cells, control)}, ${where}${more}: ${said}. Seen${of}: ${uses.join(', ')}.`;
}

/** Utilisation in tenths: less of a difference is none. */
function tenths({ utilisation }: CellSaturation): number {
  return Math.round(10 * utilisation);
}

const resourceNames: Readonly<Record<Resource, string>> = {
  ...partResources,
  'cpu limit': 'the CPU limit of pgsweep',
  generator: 'the load generator',
  network: 'the network',
  'shared connection': 'a shared connection',
  locks: 'locks',
  io: 'IO',
  'postgres cpu': "Postgres's CPU",
  'opensearch cpu': "OpenSearch's CPU",
  'service event loop': "the service's event loop",
  'service cpu': "the service's CPU",
  'machine cpu': "the machine's CPU",
  pool: 'the pool',
};

function kindOf(cell: CellSaturation | undefined): string {
  return `${cell?.resource} ${cell?.isLimit}`;
}

function namesOf(cells: readonly CellSaturation[], control: string): string {
  const isFirst = cells.some(({ variant, repeat }) => variant === control && !repeat);
  const ofControl = isFirst ? `${control} (control)` : againName(control);
  const names = [...new Set(cells.map(({ variant }) => (variant === control ? ofControl : variant)))];
  return names.length > 4 ? `${names.length} variants` : names.join(', ');
}

/** 1 where a finding names one of the cells: those come first. */
function named(cells: readonly CellSaturation[]): number {
  return cells.some(({ byFinding }) => byFinding) ? 1 : 0;
}

function mostUse(cells: readonly CellSaturation[]): number {
  return Math.max(...cells.map(({ utilisation }) => utilisation));
}
