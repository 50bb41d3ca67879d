import { formatShare } from '../../../base/units.ts';
import { countsRequests } from '../../../journal/load-level.ts';
import { onlyInserts } from '../../../journal/sample.ts';
import { cutTo, formatCount, short } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/**
 * The share that may fail by default (load.maxFailedRate): a scenario that allows for fewer gets the finding sooner.
 */
const LEAST_PERCENT = 1;
const MOST_TEXT = 100;
const LEAST_LOGGED_SHARE = 0.5;

/**
 * Answers 2xx to requests that failed, as servers of GraphQL give: Postgres logged more errors than requests failed.
 * What services try again after is left to the finding of rollbacks and lock failures.
 */
export const errorsInAnswers: CrossCheck = {
  name: 'errors-answered-2xx',
  symptomIn({ detail: { logged }, scenario }) {
    const { requests, failed, errors, messages } = logged;
    const share = (errors - failed) / Math.max(1, requests);
    if (100 * share < Math.min(LEAST_PERCENT, scenario.load.maxFailedPercent ?? LEAST_PERCENT) || share <= 0)
      return null;
    const [usual] = [...messages].sort(([, a], [, b]) => b - a);
    const most = usual === undefined ? '' : `, most often: ${cutTo(MOST_TEXT, usual[0])}`;
    return {
      text: `${formatShare(Math.min(1, share))} of requests logged a Postgres error though answered 2xx (${formatCount(errors)} errors, ${formatCount(failed)} of ${formatCount(requests)} requests failed)${most}`,
      next: 'See the body of such an answer, and say in expect what it has to hold (json, text; graphql does): it then counts as a failure. Where the service tries again, that is part of what was measured.',
      weight: 93,
    };
  },
};

const MOST_NAMED = 2;

/** Requests that failed, with what Postgres logged meanwhile: a service seldom says it in its answers. */
export const failuresLogged: CrossCheck = {
  name: 'failures-logged',
  symptomIn({ detail: { logged }, scenario }) {
    const { requests, failed, all } = logged;
    const share = failed / Math.max(1, requests);
    const least = Math.min(LEAST_PERCENT, scenario.load.maxFailedPercent ?? LEAST_PERCENT);
    const most = [...all].sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED);
    // Far fewer errors than failures have another cause.
    const counted = most.reduce((sum, [, count]) => sum + count, 0);
    if (failed === 0 || 100 * share < least || counted < LEAST_LOGGED_SHARE * failed) return null;
    const said = most.map(([message, count]) => `${formatCount(count)} x ${cutTo(MOST_TEXT, message)}`);
    return {
      text: `${formatShare(share)} of requests failed (${formatCount(failed)} of ${formatCount(requests)}), and Postgres logged ${said.join(', ')}`,
      next: 'Fix what Postgres complains of, in the service, its data or the variant: work that fails makes a variant look fast, or slow.',
      kind: most[0]?.[0] ?? '',
      weight: 91,
    };
  },
};

/** The share of 200 among the answers 200 and 201. A test of inserts has next to no 200. */
const LEAST_UPDATED_SHARE = 0.9;

/**
 * Bodies that make a test of inserts a test of updates: the first few POSTs make something (201), all others find it
 * there (200). Seen in published results: 14,599 x 200 and 25 x 201.
 */
export const insertsBecomeUpdates: CrossCheck = {
  name: 'inserts-become-updates',
  symptomIn(cell) {
    if (!meansToInsert(cell)) return null;
    const { sample, detail } = cell;
    const updated = sample.statuses.get('200') ?? 0;
    const made = sample.statuses.get('201') ?? 0;
    // Without a single 201, not even while warming up, this service answers every POST so.
    if (detail.created === 0 || updated / Math.max(1, updated + made) < LEAST_UPDATED_SHARE) return null;
    return {
      text: `${formatShare(updated / (updated + made))} of POSTs were answered 200 and not 201 (${short(updated)} against ${short(made)}): they found what an earlier one had made`,
      next: 'Give every request its own body, such as an id of "${unique}".',
      weight: 92,
    };
  },
};

/** True where every request is a POST; a module's are not known, and the built-in upserts are what they say. */
function meansToInsert({ load, scenario }: DiagnosedCell): boolean {
  const { workload } = scenario.load;
  if (!countsRequests(load)) return false;
  const builtIn = load.workload ?? (workload.kind === 'built-in' ? workload.workload : null);
  if (builtIn !== null) return onlyInserts(builtIn);
  return workload.kind === 'requests' && workload.requests.every(({ method }) => method === 'POST');
}
