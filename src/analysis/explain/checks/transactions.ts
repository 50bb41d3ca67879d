import { formatShare } from '../../../base/units.ts';
import { exact } from '../../format.ts';
import type { CellSample } from '../../read/cells/cell-sample.ts';
import { type Metric, readingOf } from '../../read/metrics/metrics.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';
import { withClients } from '../with-clients.ts';

/** From here on it is no retry now and then: 1 request in 20. Healthy A/A arms differ by less than 1 in 100. */
const CLEAR_DIFFERENCE = 0.05;
/** Health checks, a pool that opens connections and the probes themselves: as many a slice are let pass in validity.ts too. */
const OTHERS_PER_SLICE = 60;

/** Committed and rolled back, per answer of any status. */
const transactionsPerRequest: Metric = {
  name: 'transactions_per_request',
  unit: '',
  label: 'transactions/request',
  better: null,
  group: 'database',
  overRounds: 'mean',
  read: (sample) => readingOf(perRequest(sample)),
};

/**
 * A request that should be one transaction and is not: other than the control's, other than the scenario says, other than
 * with fewer clients, or not a whole number where all requests are of one kind.
 */
export const transactions: CrossCheck = {
  name: 'transactions-per-request',
  symptomIn(cell) {
    const value = perRequest(cell.sample);
    if (value === null) return null;
    const fewer = withFewerClients(cell, value);
    const text = `${exact(value)} transactions per request${rolledBack(cell.sample)}`;
    const also = fewer === null ? '' : `, ${fewer}`;
    const next =
      'Compare what one request sends with what it should: look for queries outside of BEGIN ... COMMIT, a client released before its COMMIT, and retries.';
    const change = cell.change(transactionsPerRequest);
    if (change !== null && change.isClear !== false && differs(cell, value, change.control)) {
      return { text: `${text}, control ${exact(change.control)}${also}`, next, weight: 90 };
    }
    const declared = cell.scenario.load.transactionsPerRequest;
    if (declared !== undefined && differs(cell, value, declared)) {
      return { text: `${text}, the scenario says ${declared}${also}`, next, weight: 88 };
    }
    if (fewer !== null) return { text: `${text}, ${fewer}`, next, weight: 87 };
    if (isOneKind(cell) && value > CLEAR_DIFFERENCE && differs(cell, value, Math.max(1, Math.round(value)))) {
      return { text: `${text}: not a whole number`, next, weight: 86 };
    }
    return null;
  },
};

/** `1.00 with 1 client`, where the same arm under its fewest clients made clearly more or fewer; else null. */
function withFewerClients({ sample, lightest }: DiagnosedCell, value: number): string | null {
  const before = lightest === null ? null : perRequest(lightest.sample);
  if (lightest === null || before === null) return null;
  // Other transactions count for more the fewer requests there are.
  const uncertain = [sample, lightest.sample].reduce((sum, one) => sum + othersPerRequest(one), 0);
  if (Math.abs(value - before) <= CLEAR_DIFFERENCE * before + uncertain) return null;
  return `${exact(before)} ${withClients(lightest.load)}`;
}

function othersPerRequest({ database }: CellSample): number {
  return database === null ? 0 : (OTHERS_PER_SLICE * database.slices) / database.answered;
}

function perRequest({ database }: CellSample): number | null {
  if (database === null || database.answered === 0) return null;
  return (database.delta.xact_commit + database.delta.xact_rollback) / database.answered;
}

function differs({ sample: { database } }: DiagnosedCell, value: number, expected: number): boolean {
  if (database === null) return false;
  const count = Math.abs(value - expected) * database.answered;
  return Math.abs(value - expected) > CLEAR_DIFFERENCE * expected && count > OTHERS_PER_SLICE * database.slices;
}

function rolledBack({ database }: CellSample): string {
  if (database === null) return '';
  const { xact_commit: commits, xact_rollback: rollbacks } = database.delta;
  const share = rollbacks / Math.max(1, commits + rollbacks);
  return share >= CLEAR_DIFFERENCE ? ` (${formatShare(share)} rolled back)` : '';
}

/** In a mix of reads and writes the mean of whole numbers need not be whole. */
function isOneKind({ load, scenario: { load: spec } }: DiagnosedCell): boolean {
  if (load.bulk === true) return false;
  return (
    spec.workload.kind === 'built-in' || (spec.workload.kind === 'requests' && spec.workload.requests.length === 1)
  );
}
