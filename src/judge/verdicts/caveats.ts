import { countsRequests, isNotSustained } from '../../journal/load-level.ts';
import type { VoidReason } from '../../journal/records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Caveat, FailedShares, NotSustained, OthersShares } from '../caveat.ts';
import { bulkCaveats, controlBulkCaveats } from '../read/cells/bulk-loads.ts';
import { type CellSample, countOf } from '../read/cells/cell-sample.ts';
import type { Uncounted } from '../read/cells/uncounted.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import { generatorReasons } from '../read/rounds/capacity-points.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { type CountAmong, chanceOfMore } from '../stats/poisson-rates.ts';
import { significant } from '../stats/rounding.ts';
import { controlArms, otherVariants } from './contrasts.ts';
import { limitCaveats } from './limits.ts';
import { isVoidUnder } from './void-levels.ts';

/** A difference below this share is not worth a mark, however sure it is. */
const MIN_SHARE_DIFFERENCE = 0.001;
/** Failures come in bursts and not independently, so the ordinary 5 % would mark far too often. */
const MOST_CHANCE = 0.001;

/**
 * Caveats of a cell that looks better than it is: an overloaded service, more failed requests than the control's,
 * documents that a bulk load lost, or a limit of the search that it may break. The control is compared with all others
 * together. Where a limit says how many requests may fail, more failures than another's are no caveat up to that. Empty
 * where there are none.
 */
export function caveatsOf(data: RunData, cell: ArmCell): Caveat[] {
  const allowed = data.scenario.tune?.keep?.find(({ metric }) => metric === 'failed')?.most ?? null;
  const isAllowed = (one: Caveat): boolean =>
    allowed !== null && 'failed' in one && one.failed <= allowed * one.requests;
  return [...limitCaveats(data, cell), ...failuresOf(data, cell).filter((one) => !isAllowed(one))];
}

function failuresOf(data: RunData, cell: ArmCell): Caveat[] {
  const overloads = overloadOf(data, cell);
  if (cell.variant === data.scenario.control) return overloads.length > 0 ? overloads : controlCaveats(data, cell.load);
  const control = controlArms(data, cell.load);
  // A bulk load repeats what was refused: what counts is which documents have arrived.
  if (!countsRequests(cell.load)) return bulkCaveats(data.bulk([cell]), data.bulk(control));
  // What fails besides is of the same overload.
  if (overloads.length > 0) return overloads;
  return [
    ...failureCaveats(data.merged([cell]), data.merged(control)),
    ...uncountedCaveats(data.uncounted([cell]), data.uncounted(control)),
  ];
}

/** Caveats of both control arms together: they are the same program. */
function controlCaveats(data: RunData, load: LoadLevel): Caveat[] {
  const arms = controlArms(data, load);
  const others = otherVariants(data).map((variant) => ({ variant, load, repeat: false }));
  if (!countsRequests(load)) return controlBulkCaveats(data.bulk(arms), data.bulk(others));
  const counted = sidesOf(data.merged(arms), data.merged(others));
  const uncounted = { own: uncountedOf(data.uncounted(arms)), others: uncountedOf(data.uncounted(others)) };
  return [
    ...moreThanOthers(counted).map((shares) => ({ kind: 'control-fails-more', ...shares }) as const),
    ...moreThanOthers(uncounted).map((shares) => ({ kind: 'control-fails-more-uncounted', ...shares }) as const),
  ];
}

interface Sides {
  readonly own: CountAmong;
  readonly others: CountAmong;
}

function sidesOf(own: CellSample | null, others: CellSample | null): Sides | null {
  return own === null || others === null ? null : { own: countOf(own), others: countOf(others) };
}

function moreThanOthers(sides: Sides | null): OthersShares[] {
  if (sides === null || !isClearlyMore(sides.own, sides.others)) return [];
  const { own, others } = sides;
  return [{ failed: own.count, requests: own.among, othersFailed: others.count, othersRequests: others.among }];
}

/**
 * Requests of a rate that were not sent. Slices in which the load generator itself was late do not count. An unfit
 * session shows all slices, so there it says nothing.
 */
function overloadOf(data: RunData, cell: ArmCell): NotSustained[] {
  const sample = data.merged([cell]);
  const reasons = Object.keys(data.voidsOf([cell]).byReason) as VoidReason[];
  const wasLate = isVoidUnder(data, cell.load) && reasons.some((reason) => generatorReasons.has(reason));
  if (sample === null || wasLate) return [];
  const { unsent } = sample;
  const requests = countOf(sample).among;
  if (!isNotSustained({ unsent, requests }, cell.load, data.scenario.load)) return [];
  // As the tables have it.
  const okPerS = significant(data.valueOverRounds(requestsPerSecond, [cell]) ?? 0);
  return [{ kind: 'not-sustained', unsent, requests, okPerS }];
}

/**
 * A note where clearly more of the variant's counted requests failed (answers other than expected, errors, timeouts) than
 * of the control's; empty otherwise. Clearly: by more than 0.1 % of all requests, and with a chance below 0.1 % by the
 * exact test. It is a mark: faster because it failed is not faster.
 */
export function failureCaveats(variant: CellSample | null, control: CellSample | null): Caveat[] {
  if (variant === null || control === null) return [];
  const [a, b] = [countOf(variant), countOf(control)];
  return isClearlyMore(a, b) ? [{ kind: 'more-failures', ...failedShares(a, b) }] : [];
}

/** A note on clearly more failures among requests that are not counted. */
export function uncountedCaveats(variant: Uncounted, control: Uncounted): Caveat[] {
  const [a, b] = [uncountedOf(variant), uncountedOf(control)];
  if (!isClearlyMore(a, b)) return [];
  return [{ kind: 'more-uncounted-failures', ...failedShares(a, b) }];
}

function uncountedOf({ failed, requests }: Uncounted): CountAmong {
  return { count: failed, among: requests };
}

/** True where a side has more failures than chance and `MIN_SHARE_DIFFERENCE` explain. */
export function isClearlyMore(a: CountAmong, b: CountAmong): boolean {
  if (a.among === 0 || b.among === 0) return false;
  return a.count / a.among - b.count / b.among > MIN_SHARE_DIFFERENCE && chanceOfMore(a, b) < MOST_CHANCE;
}

/** The numbers of both sides for a note. */
export function failedShares(a: CountAmong, b: CountAmong): FailedShares {
  return { failed: a.count, requests: a.among, controlFailed: b.count, controlRequests: b.among };
}
