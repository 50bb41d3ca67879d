import { countsRequests, isNotSustained } from '../../journal/load-level.ts';
import type { VoidReason } from '../../journal/records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Caveat, FailedShares, NotSustained, OthersShares } from '../caveat.ts';
import { bulkCaveats, controlBulkCaveats } from '../read/cells/bulk-loads.ts';
import { countOf } from '../read/cells/cell-sample.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import { generatorReasons } from '../read/rounds/capacity-points.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { type CountsByRound, togetherOf, totalOf } from '../stats/held-over-rounds.ts';
import type { CountAmong } from '../stats/poisson-rates.ts';
import { significant } from '../stats/rounding.ts';
import { isClearlyMore, type Marks } from './clearly-more.ts';
import { controlArms, otherVariants } from './contrasts.ts';
import { limitCaveats } from './limits.ts';
import { isVoidUnder } from './void-levels.ts';

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
  if (!countsRequests(cell.load)) return bulkCaveats(data.bulk([cell]), data.bulk(control), data.scenario.load);
  // What fails besides is of the same overload.
  if (overloads.length > 0) return overloads;
  const marks = marksIn(data);
  return [
    ...moreFailures('more-failures', countedOf(data, [cell]), countedOf(data, control), marks),
    ...moreFailures('more-uncounted-failures', uncountedOf(data, [cell]), uncountedOf(data, control), marks),
  ];
}

/** Caveats of both control arms together: they are the same program. */
function controlCaveats(data: RunData, load: LoadLevel): Caveat[] {
  const arms = controlArms(data, load);
  const others = otherVariants(data).map((variant) => ({ variant, load, repeat: false }));
  if (!countsRequests(load)) return controlBulkCaveats(data.bulk(arms), data.bulk(others), data.scenario.load);
  const marks = marksIn(data);
  const counted = { own: countedOf(data, arms), others: countedOf(data, others) };
  const uncounted = { own: uncountedOf(data, arms), others: uncountedOf(data, others) };
  return [
    ...moreThanOthers(counted, marks).map((shares) => ({ kind: 'control-fails-more', ...shares }) as const),
    ...moreThanOthers(uncounted, marks).map((shares) => ({ kind: 'control-fails-more-uncounted', ...shares }) as const),
  ];
}

/** Every variant may be marked under every load level. */
function marksIn(data: RunData): Marks {
  return { course: data.course, marks: otherVariants(data).length * data.scenario.load.levels.length };
}

/** The failures of each cell by round, among the requests that count. */
function countedOf(data: RunData, cells: readonly ArmCell[]): CountsByRound[] {
  return cells.map((cell) => byRound(data.samples(cell), countOf));
}

/** The failures of each cell by round, among the other requests. */
function uncountedOf(data: RunData, cells: readonly ArmCell[]): CountsByRound[] {
  return cells.map((cell) =>
    byRound(data.uncountedByRound(cell), ({ failed, requests }) => ({ count: failed, among: requests })),
  );
}

function byRound<T>(all: ReadonlyMap<number, T>, count: (one: T) => CountAmong): CountsByRound {
  return new Map([...all].map(([round, one]) => [round, count(one)]));
}

interface Sides {
  readonly own: readonly CountsByRound[];
  readonly others: readonly CountsByRound[];
}

function moreThanOthers({ own, others }: Sides, marks: Marks): OthersShares[] {
  const together = [togetherOf(others)];
  if (!isClearlyMore(own, together, marks)) return [];
  const [a, b] = [totalOf(own), totalOf(together)];
  return [{ failed: a.count, requests: a.among, othersFailed: b.count, othersRequests: b.among }];
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

/** A note where clearly more of a variant's requests failed than of its control's: faster because it failed is not faster. */
export function moreFailures<Kind extends 'more-failures' | 'more-uncounted-failures'>(
  kind: Kind,
  variant: readonly CountsByRound[],
  control: readonly CountsByRound[],
  marks: Marks,
): (FailedShares & { readonly kind: Kind })[] {
  if (!isClearlyMore(variant, control, marks)) return [];
  const [a, b] = [totalOf(variant), totalOf(control)];
  return [{ kind, failed: a.count, requests: a.among, controlFailed: b.count, controlRequests: b.among }];
}
