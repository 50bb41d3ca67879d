import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';

/**
 * Postgres's warnings that a transaction was begun inside of another, or ended outside of one. One of the former is
 * enough: no correct program causes any. The latter come with statements that failed too, where ROLLBACK follows a COMMIT that was already sent.
 */
export const transactionInProgress: CrossCheck = {
  name: 'transaction-in-progress',
  queue: 'shared connection',
  symptomIn({ values, detail }) {
    const open = probeValue(values, 'mixedTransactions') ?? 0;
    const none = probeValue(values, 'noTransaction') ?? 0;
    if (open === 0 && none <= (probeValue(values, 'loggedErrors') ?? 0)) return null;
    const per = `in ${short(detail.answered / detail.slices)} requests a slice`;
    const said = [
      ...(open > 0 ? [`${short(open)} warnings "there is already a transaction in progress"`] : []),
      ...(none > 0 ? [`${short(none)} "there is no transaction in progress"`] : []),
    ];
    return {
      text: `${said.join(' and ')} ${per}: requests share a connection, and each other's transactions`,
      next: 'Release a client only after its COMMIT or ROLLBACK has been answered; what was measured is not what the service should do.',
      weight: 95,
    };
  },
};
