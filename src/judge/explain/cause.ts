import { closedLoopClients, underLoad } from '../../journal/load-level.ts';
import { POOL_FACTOR } from '../../journal/pool-size.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Verdict } from '../verdicts/judge.ts';
import type { CellSaturation, Resource } from './saturation.ts';

/** Why variants hardly differ under a load level, where that is known. */
export type Cause =
  /** Only pools differ, and a single client uses one connection at a time. */
  | { readonly kind: 'one client' }
  | {
      readonly kind: 'full';
      readonly resource: FullResource;
      /** The least of all cells (0..1). */
      readonly utilisation: number;
      /** True if only pools differ, and all are the same within the margin. */
      readonly poolHardlyMatters: boolean;
    };

/** Resources that are full whatever a variant does, and that no setting of a pool empties. */
const fullResources = [
  'cpu limit',
  'generator',
  'network',
  'postgres cpu',
  'opensearch cpu',
  'service event loop',
  'service cpu',
  'machine cpu',
] as const satisfies readonly Resource[];

export type FullResource = (typeof fullResources)[number];

/** The part of a summary that tells it. */
interface Answered {
  readonly run: { readonly settings: readonly { readonly factors: object }[] };
  readonly comparisons: readonly AnsweredCell[];
  readonly averages: readonly { readonly load: LoadLevel; readonly probes: Readonly<Record<string, number>> }[];
  readonly saturation: readonly CellSaturation[];
}

interface AnsweredCell {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: string;
  readonly verdict: Verdict;
}

/** The cause under a load level by the judged metric; null where some variant differs there, and where no probe tells. */
export function causeUnder(
  { run, comparisons, saturation, averages }: Answered,
  load: LoadLevel,
  judged: string,
): Cause | null {
  const own = underLoad(comparisons, load).filter(({ metric }) => metric === judged);
  if (own.length === 0 || own.some(({ verdict }) => verdict !== 'same' && verdict !== 'noise')) return null;
  const onlyPools = run.settings.every(({ factors }) => Object.keys(factors).join() === POOL_FACTOR);
  const mostBusy = underLoad(averages, load).map(({ probes }) => probes.busy_connections_p95 ?? Number.NaN);
  if (onlyPools && closedLoopClients(load) === 1 && Math.max(...mostBusy) <= 1) return { kind: 'one client' };
  const cells = underLoad(saturation, load);
  const resource = fullResources.find((one) => cells[0]?.resource === one);
  const seen = new Set(cells.map(({ variant }) => variant));
  if (resource === undefined || own.some(({ variant }) => !seen.has(variant))) return null;
  if (cells.some((cell) => !cell.isLimit || cell.resource !== resource)) return null;
  return {
    kind: 'full',
    resource,
    utilisation: Math.min(...cells.map(({ utilisation }) => utilisation)),
    poolHardlyMatters: onlyPools && own.every(({ verdict }) => verdict === 'same'),
  };
}
