import { addTo } from '../../../base/group-by.ts';
import { formatShare } from '../../../base/units.ts';
import { countsRequests, runsJob } from '../../../journal/load-level.ts';
import { exact, plural } from '../../format.ts';
import type { CellSample } from '../../read/cells/cell-sample.ts';
import { innerMetric, readingOf } from '../../read/metrics/metrics.ts';
import { OTHER_TRANSACTIONS } from '../../read/rounds/void-reasons.ts';
import { mean, sum } from '../../stats/moments.ts';
import type { CrossCheck } from '../cross-check.ts';
import { type DiagnosedCell, failsOften, withClients } from '../diagnosed-cell.ts';
import { hardlyUses } from './database-hardly-used.ts';
import { planChanged } from './plan-changed.ts';

/** From here on it is no retry now and then: 1 request in 20. Healthy A/A arms differ by less than 1 in 100. */
const CLEAR_DIFFERENCE = 0.05;

/** Committed and rolled back, per answer of any status. */
const transactionsPerRequest = innerMetric('transactions_per_request', (sample) => readingOf(perRequest(sample)));

/** Standard errors that the random draw of a mix may move a ratio by. */
const MOST_ERRORS = 4;
/** Fewer rounds show no drift, and this many standard errors of its slope are none by chance. */
const [LEAST_ROUNDS, LEAST_SLOPE_ERRORS] = [4, 5];

/**
 * A request that should be one transaction and is not. Its number differs from the control's, from the scenario's or
 * from the number with fewer clients, is not whole where all requests are of one kind, or drifts. Not checked for a
 * database that is hardly used, where a job has its own transactions, nor where many requests fail: those may have none.
 */
export const transactions: CrossCheck = {
  name: 'transactions-per-request',
  symptomIn(cell) {
    const value = perRequest(cell.sample);
    if (value === null || hardlyUses(value) || runsJob(cell.load) || failsOften(cell)) return null;
    const fewer = withFewerClients(cell, value);
    const drift = driftOf(cell);
    const text = `${exact(value)} transactions per request${rolledBack(cell.sample)}${utilityWords(cell)}${unseenWords(cell)}`;
    const also = [...(fewer === null ? [] : [`, ${fewer}`]), ...(drift === null ? [] : [`, ${drift}`])].join('');
    const next =
      'Compare what one request sends with what it should: look for queries outside of BEGIN ... COMMIT, a client released before its COMMIT, and retries.';
    const isFair = cell.control !== null && !failsOften(cell.control);
    const change = isFair ? cell.change(transactionsPerRequest) : null;
    if (change !== null && change.isClear !== false && isBeyondControl(cell, value, change.control)) {
      // Where a plan changed, what else differs follows from it.
      return {
        text: `${text}, control ${exact(change.control)}${also}`,
        next,
        weight: planChanged.symptomIn(cell) === null ? 90 : 81,
      };
    }
    const declared = cell.scenario.load.transactionsPerRequest;
    if (declared !== undefined && differs(cell, value, declared)) {
      return { text: `${text}, the scenario says ${declared}${also}`, next, weight: 88 };
    }
    if (fewer !== null) return { text: `${text}${also}`, next, weight: 87 };
    if (isOneKind(cell) && value > CLEAR_DIFFERENCE && differs(cell, value, Math.max(1, Math.round(value)))) {
      return { text: `${text}: not a whole number${drift === null ? '' : `, ${drift}`}`, next, weight: 86 };
    }
    return drift === null ? null : { text: `${text}, ${drift}`, next, weight: 70 };
  },
};

/** True where the control's arms differ less among themselves, and the draw of a mix of requests does not explain it. */
function isBeyondControl(cell: DiagnosedCell, value: number, control: number): boolean {
  const apart = Math.abs(value - control);
  if (!differs(cell, value, control)) return false;
  const ofArms = (cell.control?.arms ?? []).flatMap((arm) => ofAll([...arm.values()]) ?? []);
  if (ofArms.length > 1 && apart <= Math.max(...ofArms) - Math.min(...ofArms)) return false;
  if (isOneKind(cell)) return true;
  const [own, other] = [cell.sample.database?.answered ?? 0, cell.control?.sample.database?.answered ?? 0];
  return own > 0 && other > 0 && apart > MOST_ERRORS * Math.sqrt(value / own + control / other);
}

/** The ratio over several samples; null where none of them was counted. */
function ofAll(samples: readonly CellSample[]): number | null {
  const counted = samples.flatMap(({ database }) => database ?? []);
  const answered = sum(counted.map((one) => one.answered));
  if (answered === 0) return null;
  return sum(counted.map(({ delta }) => delta.xact_commit + delta.xact_rollback)) / answered;
}

/** `drifting from 1.21 to 1.34 over 8 rounds`; null where it stays, by the straight line through its rounds. */
function driftOf({ arms }: DiagnosedCell): string | null {
  const rounds = [...new Set(arms.flatMap((arm) => [...arm.keys()]))].sort((a, b) => a - b);
  const points = rounds.flatMap((round) => {
    const value = ofAll(arms.flatMap((arm) => arm.get(round) ?? []));
    return value === null ? [] : [{ round, value }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < LEAST_ROUNDS || first === undefined || last === undefined) return null;
  const [x, y] = [mean(points.map(({ round }) => round)), mean(points.map(({ value }) => value))];
  const squares = sum(points.map(({ round }) => (round - x) ** 2));
  const slope = sum(points.map(({ round, value }) => (round - x) * (value - y))) / squares;
  const rest = sum(points.map(({ round, value }) => (value - y - slope * (round - x)) ** 2));
  const error = Math.sqrt(rest / (points.length - 2) / squares);
  const moved = Math.abs(slope) * (last.round - first.round);
  if (moved <= CLEAR_DIFFERENCE * y || Math.abs(slope) < LEAST_SLOPE_ERRORS * error) return null;
  const [from, to] = [first, last].map(({ round }) => exact(y + slope * (round - x)));
  return `drifting from ${from} to ${to} over ${plural(points.length, 'round')}`;
}

/** Statements that open or end a transaction, and statements that a request is made of. */
const usualStatements =
  /^(?:select|insert|update|delete|merge|with|values|table|copy|call|begin|start|commit|end|rollback|abort|savepoint|release)\b/i;

/** ` (0.13 DEALLOCATE a request, control 0.02)`: outside of BEGIN ... COMMIT each is a separate transaction. Empty where there are few. */
function utilityWords({ detail, control }: DiagnosedCell): string {
  const [own, other] = [utilities(detail), control === null ? null : utilities(control.detail)];
  const [most] = [...own].sort(([, a], [, b]) => b - a);
  if (most === undefined || most[1] < CLEAR_DIFFERENCE) return '';
  const [name, count] = most;
  return ` (${exact(count)} ${name} a request${other === null ? '' : `, control ${exact(other.get(name) ?? 0)}`})`;
}

/** The most statements that the probe records of a slice: a cell with fewer has all. */
const MOST_OF_SLICE = 20;

/**
 * ` (0.20 or more of statements that pg_stat_statements does not show, or of new connections)`: each statement that it
 * shows is in one transaction at most. Empty where there are none, and where not all were recorded.
 */
function unseenWords({ sample: { database }, detail: { statements, answered } }: DiagnosedCell): string {
  if (database === null || answered === 0 || statements.size === 0 || statements.size >= MOST_OF_SLICE) return '';
  const calls = sum(
    [...statements].map(([statement, one]) => (opensNone.test(firstWord(statement) ?? '') ? 0 : one.calls)),
  );
  const unseen = database.delta.xact_commit / database.answered - calls / answered;
  if (unseen < CLEAR_DIFFERENCE) return '';
  return ` (${exact(unseen)} or more of statements that pg_stat_statements does not show, as DEALLOCATE before Postgres 17, or of new connections)`;
}

/** Statements that are in the transaction of another, or end one that is not committed. */
const opensNone = /^(?:begin|start|savepoint|release|rollback|abort)$/i;

function firstWord(statement: string): string | undefined {
  return /^[a-z]+/i.exec(statement.replace(/^(?:\s|\(|\/\*[\s\S]*?\*\/)+/, ''))?.[0];
}

/** Calls a request of statements that are neither a query nor part of a transaction's frame, by their first word. */
function utilities({ statements, answered }: DiagnosedCell['detail']): Map<string, number> {
  const byName = new Map<string, number>();
  for (const [statement, { calls }] of statements) {
    const name = firstWord(statement);
    if (name === undefined || usualStatements.test(name)) continue;
    addTo(byName, name.toUpperCase(), calls / Math.max(1, answered));
  }
  return byName;
}

/** `1.00 with 1 client`, where the same arm under its fewest clients made clearly more or fewer; else null. */
function withFewerClients({ sample, lightest }: DiagnosedCell, value: number): string | null {
  const before = lightest === null || failsOften(lightest) ? null : perRequest(lightest.sample);
  if (lightest === null || before === null) return null;
  // Other transactions count for more the fewer requests there are.
  const uncertain = [sample, lightest.sample].reduce((sum, one) => sum + othersPerRequest(one), 0);
  if (Math.abs(value - before) <= CLEAR_DIFFERENCE * before + uncertain) return null;
  return `${exact(before)} ${withClients(lightest.load)}`;
}

function othersPerRequest({ database }: CellSample): number {
  return database === null ? 0 : (OTHER_TRANSACTIONS * database.slices) / database.answered;
}

function perRequest(sample: CellSample): number | null {
  return ofAll([sample]);
}

function differs({ sample: { database } }: DiagnosedCell, value: number, expected: number): boolean {
  if (database === null) return false;
  const count = Math.abs(value - expected) * database.answered;
  return Math.abs(value - expected) > CLEAR_DIFFERENCE * expected && count > OTHER_TRANSACTIONS * database.slices;
}

function rolledBack({ database }: CellSample): string {
  if (database === null) return '';
  const { xact_commit: commits, xact_rollback: rollbacks } = database.delta;
  const share = rollbacks / Math.max(1, commits + rollbacks);
  return share >= CLEAR_DIFFERENCE ? ` (${formatShare(share)} rolled back)` : '';
}

/** In a mix of reads and writes the mean of whole numbers need not be whole. */
function isOneKind({ load, scenario: { load: spec } }: DiagnosedCell): boolean {
  if (!countsRequests(load)) return false;
  return (
    spec.workload.kind === 'built-in' || (spec.workload.kind === 'requests' && spec.workload.requests.length === 1)
  );
}
