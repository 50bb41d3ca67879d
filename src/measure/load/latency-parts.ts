import { createLatencyHistogram, type LatencyHistogram } from '../../journal/histogram.ts';
import type { PartsRecord } from '../../journal/records.ts';
import type { Answered } from './connection-outcomes.ts';

/** Parts of an answer's latency. */
export type LatencyParts = Pick<Answered, 'connectMs' | 'waitingMs'>;

/** Parts that differ by less than the unit of histograms are the same. */
const SAME_US = 1;

/** Counts what latencies are made of. */
export interface PartsTally {
  /** Takes the parts of an answer whose latency is about to be counted. */
  record(latencyUs: number, parts: LatencyParts): void;
  /** Nothing, unless it has the parts of all latencies, which are so many. */
  result(latencies: number): { readonly parts?: PartsRecord };
}

/**
 * Separates connecting, processing and waiting as ab does (Apache's support/ab.c: `ctime`, `time - ctime` and
 * `waittime`): connecting, with TLS its handshake too, is 0 where the connection was open before; waiting ends with the
 * first byte that is read. It begins here when the connection is open, and in ab once the request is written, which is
 * the same for all that the socket takes at once.
 *
 * Over connections that stay open, and with answers in one piece, no part differs from the latency itself, and a
 * histogram of 200 KB is made only once one does: it then takes over what was counted so far.
 */
export function createPartsTally(latency: LatencyHistogram): PartsTally {
  let connect: LatencyHistogram | null = null;
  let processing: LatencyHistogram | null = null;
  let waiting: LatencyHistogram | null = null;
  let counted = 0;
  return {
    record(latencyUs, { connectMs, waitingMs }) {
      const connectUs = connectMs * 1000;
      const waitingUs = waitingMs * 1000;
      const processingUs = latencyUs - connectUs;
      if (connect === null && connectUs >= SAME_US) {
        connect = createLatencyHistogram();
        connect.record(0, counted);
        processing = latency.copy();
      }
      if (waiting === null && processingUs - waitingUs >= SAME_US) waiting = (processing ?? latency).copy();
      connect?.record(connectUs);
      processing?.record(processingUs);
      waiting?.record(waitingUs);
      counted++;
    },
    result: (latencies) =>
      counted === 0 || counted < latencies
        ? {}
        : {
            parts: {
              ...(connect !== null && { connect: connect.toRecord() }),
              ...(processing !== null && { processing: processing.toRecord() }),
              ...(waiting !== null && { waiting: waiting.toRecord() }),
            },
          },
  };
}
