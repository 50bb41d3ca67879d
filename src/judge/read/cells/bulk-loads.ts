import { byName } from '../../../base/by-name.ts';
import type { BulkCheck, BulkCheckRecord, BulkRecord } from '../../../journal/bulk-records.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadSpec } from '../../../journal/scenario-record.ts';
import type { Caveat } from '../../caveat.ts';
import { mean } from '../../stats/moments.ts';

/** The result of the bulk loads of one cell, over the complete rounds. Counts are sums. */
export interface BulkTotals {
  readonly rounds: number;
  /** Mean. */
  readonly totalMs: number;
  readonly documents: number;
  readonly loaded: number;
  readonly repeats: number;
  /** Documents that were never accepted, by the status or the kind of their last failure. */
  readonly failed: Readonly<Record<string, number>>;
  /** The content of the databases afterwards; null where their tables are not known. */
  readonly check: BulkCheck | null;
}

/** One bulk load. */
export interface BulkLoad {
  readonly bulk: BulkRecord;
  readonly check: BulkCheck | null;
}

/** The bulk load that a slice was, with the check of its arm; null where it was none. */
export function bulkLoadOf({ bulk, arm }: SliceRecord, checks: readonly BulkCheckRecord[]): BulkLoad | null {
  if (bulk === undefined) return null;
  return { bulk, check: checks.find((one) => one.arm === arm)?.check ?? null };
}

/** Adds up bulk loads; null where there are none. */
export function bulkTotals(loads: readonly BulkLoad[]): BulkTotals | null {
  if (loads.length === 0) return null;
  const sum = (pick: (bulk: BulkRecord) => number): number => loads.reduce((total, { bulk }) => total + pick(bulk), 0);
  const failed = byName<number>();
  for (const { bulk } of loads) {
    for (const [kind, count] of Object.entries(bulk.failed)) failed[kind] = (failed[kind] ?? 0) + count;
  }
  return {
    rounds: loads.length,
    totalMs: mean(loads.map(({ bulk }) => bulk.totalMs)),
    documents: sum(({ documents }) => documents),
    loaded: sum(({ loaded }) => loaded),
    repeats: sum(({ repeats }) => repeats),
    failed,
    check: addChecks(loads.flatMap(({ check }) => check ?? [])),
  };
}

/** A bulk load's allowed loss where a scenario does not say (load.maxFailedRate). */
const MOST_LOST_PERCENT = 1;

/** True where a bulk load lost more of its documents than the scenario allows: its time is of another data set. */
export function hasLost(
  { loaded, documents }: Pick<BulkTotals, 'loaded' | 'documents'>,
  { maxFailedPercent = MOST_LOST_PERCENT }: Pick<LoadSpec, 'maxFailedPercent'>,
): boolean {
  return 100 * (documents - loaded) > maxFailedPercent * documents;
}

/**
 * Caveats of a bulk load's time: fewer documents accepted than by the control, more of them lost than the scenario
 * allows, or a database that does not hold what was accepted. Empty where there are none.
 */
export function bulkCaveats(variant: BulkTotals | null, control: BulkTotals | null, spec: LoadSpec): Caveat[] {
  if (variant === null) return [];
  const { loaded, documents, check } = variant;
  const against = control ?? { loaded: documents, documents };
  const lost: Caveat = {
    kind: 'lost-documents',
    loaded,
    documents,
    controlLoaded: against.loaded,
    controlDocuments: against.documents,
  };
  return [
    ...(shareLoaded(variant) < shareLoaded(against) || hasLost(variant, spec) ? [lost] : []),
    ...differing(check).map((counts) => ({ kind: 'database-differs', ...counts }) as const),
  ];
}

/** Caveats of the control, compared with one variant or with all of them together. */
export function controlBulkCaveats(control: BulkTotals | null, others: BulkTotals | null, spec: LoadSpec): Caveat[] {
  if (control === null || others === null) return [];
  const { loaded, documents, check } = control;
  const lost: Caveat = {
    kind: 'control-lost-documents',
    loaded,
    documents,
    othersLoaded: others.loaded,
    othersDocuments: others.documents,
  };
  return [
    ...(shareLoaded(control) < shareLoaded(others) || hasLost(control, spec) ? [lost] : []),
    ...differing(check).map((counts) => ({ kind: 'control-database-differs', ...counts }) as const),
  ];
}

/** The counts where any of them is not 0; empty where the databases hold what was accepted, or were not checked. */
function differing(check: BulkCheck | null): BulkCheck[] {
  return check === null || Object.values(check).every((count) => count === 0) ? [] : [check];
}

function shareLoaded({ loaded, documents }: Pick<BulkTotals, 'loaded' | 'documents'>): number {
  return documents === 0 ? 1 : loaded / documents;
}

function addChecks(checks: readonly BulkCheck[]): BulkCheck | null {
  if (checks.length === 0) return null;
  const sum = (pick: (check: BulkCheck) => number): number => checks.reduce((total, check) => total + pick(check), 0);
  return {
    missing: sum(({ missing }) => missing),
    unexpected: sum(({ unexpected }) => unexpected),
    doubled: sum(({ doubled }) => doubled),
    dangling: sum(({ dangling }) => dangling),
  };
}
