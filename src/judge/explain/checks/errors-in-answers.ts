import { formatShare } from '../../../base/units.ts';
import { cutTo, formatCount } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';

/** As many as may fail by default (load.maxFailedRate): a scenario that allows for fewer is told of fewer. */
const LEAST_PERCENT = 1;
const MOST_TEXT = 100;

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
