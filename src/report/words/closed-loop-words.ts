import { closedLoopClients } from '../../journal/load-level.ts';
import type { Average } from '../../judge/verdicts/averages.ts';

const ALIKE = 'In a closed loop mean latency = connections / throughput: 2xx/s and mean ms are one finding, not two.';
const WITH_FAILURES =
  'In a closed loop mean latency = connections / throughput if no request fails: 2xx/s and mean ms are one finding then, not two. ' +
  'Where requests fail, mean ms is of the successful ones, and 2xx/s holds the time of the failed ones too.';

/** Both are means over rounds, as limits are judged, and a mean of ratios is no ratio of means: 22, 23 and 4/s, 46, 44 and 241 ms. */
const ROUNDS_DIFFER =
  ' Averages are means over rounds: since rounds differ much, connections / 2xx/s, which is the time per request of the ab table, is less than mean ms.';
/** So much more than connections / throughput is a mean latency that a reader would take for a mistake. */
const MOST_APART = 1.1;

/** How 2xx/s and mean latency go together in a closed loop: as one finding, but where requests failed. */
export function closedLoopWords(averages: readonly Average[]): string {
  const closed = averages.flatMap((average) => {
    const connections = closedLoopClients(average.load);
    return connections === null ? [] : [{ average, connections }];
  });
  const isApart = closed.some(({ average, connections }) => !hasFailed(average) && areApart(average, connections));
  const findings = closed.some(({ average }) => hasFailed(average)) ? WITH_FAILURES : ALIKE;
  return `${findings}${isApart ? ROUNDS_DIFFER : ''}`;
}

function areApart({ metrics, rounds }: Average, connections: number): boolean {
  const { requests_per_s: rate, latency_mean_ms: meanMs } = metrics;
  return rounds > 1 && rate !== null && meanMs !== null && (rate * meanMs) / 1000 > MOST_APART * connections;
}

function hasFailed({ not_ok, errors, timeouts }: Average): boolean {
  return not_ok + errors + timeouts > 0;
}
