import { closedLoopClients } from '../../journal/load-level.ts';
import type { Average } from '../../judge/verdicts/averages.ts';

const ALIKE = 'In a closed loop mean latency = connections / throughput: 2xx/s and mean ms are one finding, not two.';
const WITH_FAILURES =
  'In a closed loop mean latency = connections / throughput if no request fails: 2xx/s and mean ms are one finding then, not two. ' +
  'Where requests fail, mean ms is of the successful ones, and 2xx/s holds the time of the failed ones too.';

/** How 2xx/s and mean latency go together in a closed loop: as one finding, but where requests failed. */
export function closedLoopWords(averages: readonly Average[]): string {
  return averages.some((average) => closedLoopClients(average.load) !== null && hasFailed(average))
    ? WITH_FAILURES
    : ALIKE;
}

function hasFailed({ not_ok, errors, timeouts }: Average): boolean {
  return not_ok + errors + timeouts > 0;
}
