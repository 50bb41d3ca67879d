import type { CellSample } from './cell-sample.ts';
import type { Caveat } from './notes.ts';

/** A difference below this is not worth a mark, however sure it is. */
const MIN_SHARE_DIFFERENCE = 0.001;
/** Failures come in bursts, so the ordinary 2 standard errors would mark far too often. */
const MIN_STANDARD_ERRORS = 3;

/**
 * A note where clearly more of the variant's requests failed (other than 2xx, errors, timeouts) than of the
 * control's; empty otherwise. Clearly: by more than 0.1 % of all requests and 3 standard errors of the pooled
 * difference between two shares. It is a mark and not a test: faster because it failed is not faster.
 */
export function failureCaveats(variant: CellSample | null, control: CellSample | null): Caveat[] {
  if (variant === null || control === null) return [];
  const [a, b] = [count(variant), count(control)];
  if (a.requests === 0 || b.requests === 0) return [];
  const pooled = (a.failed + b.failed) / (a.requests + b.requests);
  const standardError = Math.sqrt(pooled * (1 - pooled) * (1 / a.requests + 1 / b.requests));
  const difference = a.failed / a.requests - b.failed / b.requests;
  if (difference <= MIN_SHARE_DIFFERENCE || difference <= MIN_STANDARD_ERRORS * standardError) return [];
  return [{ kind: 'more-failures', ...a, controlFailed: b.failed, controlRequests: b.requests }];
}

function count({ ok, notOk, errors, timeouts }: CellSample): { failed: number; requests: number } {
  const failed = notOk + errors + timeouts;
  return { failed, requests: ok + failed };
}
