import { isLoopback } from '../../base/loopback.ts';
import type { ResolvedScenario } from '../scenario-record.ts';

/** How a run used services and machines that pgsweep did not start. */
export interface Elsewhere {
  /** Set where the service already ran, with its own servers. */
  readonly runningService?: true;
  /** Set where load went to another machine, or was allowed to. */
  readonly remote?: true;
}

/** Reads it from a scenario. A URL that is masked as a secret shows no machine. */
export function elsewhere({
  target,
  variants,
  load,
}: Pick<ResolvedScenario, 'target' | 'variants' | 'load'>): Elsewhere {
  const urls = target.kind === 'url' ? variants.map(({ url = target.url }) => url) : [];
  const isAllowed = load.workload.kind === 'k6' && load.workload.remote === true;
  const isRemote = isAllowed || urls.some((url) => URL.canParse(url) && !isLoopback(url));
  return { ...(target.kind === 'url' && { runningService: true }), ...(isRemote && { remote: true }) };
}
