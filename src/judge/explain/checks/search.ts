import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';

/** The share of the time that requests take; from half on it is most of it. */
const LEAST_SHARE = 0.5;

/** Most of the time of requests goes into waiting for OpenSearch, so that nothing in Postgres would change much. */
export const searchWaits: CrossCheck = {
  name: 'search-waits',
  symptomIn({ values }) {
    const waitMs = probeValue(values, 'searchWaitMs') ?? 0;
    // Little's law on both sides: how many requests wait for OpenSearch at once, of how many there are at once.
    const waiting = (probeValue(values, 'searchWaitPerS') ?? 0) * waitMs;
    const inService = (probeValue(values, 'requestPerS') ?? 0) * (probeValue(values, 'requestMs') ?? 0);
    const share = inService > 0 ? Math.min(1, waiting / inService) : 0;
    if (share < LEAST_SHARE) return null;
    return {
      text: `requests wait ${short(waitMs)} ms each for OpenSearch, ${formatShare(share)} of the time that they take`,
      next: 'Index several documents in one call, after the answer, or with fewer refreshes; settings of Postgres and of the pool change little here.',
      weight: 64 + 5 * share,
    };
  },
};

/** OpenSearch did not take documents, or did not answer: work that was not done makes a variant look fast. */
export const searchFailures: CrossCheck = {
  name: 'search-failures',
  symptomIn({ values }) {
    const perS = probeValue(values, 'searchFailuresPerS') ?? 0;
    if (perS <= 0) return null;
    return {
      text: `${short(perS)} documents or lists a second failed in OpenSearch, and writes were answered all the same`,
      next: "The service's log and its search_failures_total say why; do not compare throughput before they are gone.",
      weight: 92,
    };
  },
};
