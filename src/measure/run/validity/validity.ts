import { isLoopback } from '../../../base/loopback.ts';
import { formatDuration, formatShare } from '../../../base/units.ts';
import { leastLatencyLimitMs } from '../../../journal/capacity/limit-reading.ts';
import {
  closedLoopClients,
  isNotSustained,
  mostUnderWay,
  sliceTraitsOf,
  traitsOf,
} from '../../../journal/load-level.ts';
import { answersOutlastSlice } from '../../../journal/long-answers.ts';
import { countAll, countOk } from '../../../journal/outcomes.ts';
import type { SliceRecord, VoidReason } from '../../../journal/records.ts';
import type { LoadSpec, ResolvedScenario } from '../../../journal/scenario-record.ts';
import { keepsSessions } from '../../../journal/script-spec.ts';
import { ROOM_LATENCIES } from '../../plan/turn-length.ts';

/**
 * From where on a slice does not count: only what makes its own number wrong. What comes from outside strikes all arms of
 * a pass alike, and is noise. Shares are 0..1 of the whole. The comment at each says why it stands where it
 * stands; the A/A runs named there were made on a two-core VM that generator, service and Postgres share.
 */
export const validityLimits = {
  /** Over the scenario's `load.maxFailedRate`, which is this where a scenario does not say. */
  failedPercent: 1,

  /**
   * How far throughput x mean latency / connections may be from 1 in a closed loop. In A/A runs it was 0.97 with one
   * connection and 0.99 to 1.01 with more. Each request counts by its time within
   * the window. Allowed for on top: between an answer and the next request the generator takes its own moment.
   * (Little 1961; here the time that requests were under way, per connection and time.)
   */
  littlesLaw: 0.05,
  littlesLawOwnMsPerRequest: 0.1,
  /** Failures have no latency, so with more of them the law says nothing. */
  littlesLawMostFailed: 0.01,

  /** Above it latency is the generator's queue as much as the service's. 0.10 to 0.21 in A/A runs. */
  eventLoopUtilisation: 0.85,

  /** The share of segments sent. Loopback loses none (6 of 100,000 were the most, beside a CPU hog); a real network that loses 1 in 1,000 adds a 200 ms tail to every p99.9. */
  retransmitShare: 0.001,
  /** A few are chance (one late timer in a short slice), and no share of next to nothing. */
  retransmitsLeast: 3,

  /**
   * How much later than at its time a request of an open loop may be sent (p99): above both, the generator's own queue is in
   * the latencies. The share is of the median latency; in a search for capacities of the least limit of a latency, if that is
   * more. At 2,000 requests a second, beside a service and a lot of other work on two cores, half were sent within 0.04 ms.
   */
  sendLagP99Us: 2000,
  sendLagShare: 0.1,

  /** Connections opened beyond those asked for, per request: more, and what is measured is connecting. */
  reconnectShare: 0.05,
} as const;

/** Facts of a slice that the checks use. */
export interface MeasuredSlice {
  readonly slice: Pick<
    SliceRecord,
    | 'load'
    | 'windowMs'
    | 'busyMs'
    | 'outcomes'
    | 'ok'
    | 'whole'
    | 'wholeOk'
    | 'loadMs'
    | 'turns'
    | 'latency'
    | 'generator'
    | 'connections'
    | 'work'
    | 'sendLag'
  >;
  readonly load: LoadSpec;
  /** True if load goes over a real network: what loopback sends again, it sends again in every arm. */
  readonly overNetwork: boolean;
}

/** Checks if load on some arm leaves the machine. */
export function loadGoesOverNetwork({ target, variants }: Pick<ResolvedScenario, 'target' | 'variants'>): boolean {
  if (target.kind !== 'url') return false;
  return [target.url, ...variants.flatMap(({ url }) => url ?? [])].some((url) => !isLoopback(url));
}

/** A limit that a slice has broken, with what was found: `12 %`. */
export interface Violation {
  readonly reason: VoidReason;
  readonly found: string;
}

/** Finds a flaw of a slice, for people; null where there is none, or where this machine does not say. */
type ValidityCheck = (measured: MeasuredSlice) => string | null;

/** `transactions` is missing: it is judged from the counters, which are complete only later (src/judge/read/rounds/void-reasons.ts). */
export const checks: Readonly<Record<Exclude<VoidReason, 'transactions'>, ValidityCheck>> = {
  'failed requests'({ slice, load }) {
    const failed = failedShare(slice);
    const allowed = (load.maxFailedPercent ?? validityLimits.failedPercent) / 100;
    return failed > allowed ? `${formatShare(failed)}${expiredWords(slice, load)}` : null;
  },
  'littles law'({ slice }) {
    const { latency, busyMs, windowMs, load } = slice;
    const clients = closedLoopClients(load);
    if (clients === null || windowMs === 0 || busyMs === undefined) return null;
    if (failedShare(slice) > validityLimits.littlesLawMostFailed) return null;
    const busyShare = busyMs / windowMs / clients;
    const own = (latency.count * validityLimits.littlesLawOwnMsPerRequest) / windowMs / clients;
    return busyShare < 1 - validityLimits.littlesLaw - own || busyShare > 1 + validityLimits.littlesLaw
      ? `connections busy ${formatShare(busyShare)} of the time`
      : null;
  },
  'generator busy': ({ slice }) => above(slice.generator.eventLoopUtilisation, validityLimits.eventLoopUtilisation),
  'send lag'({ slice: { sendLag, latency }, load }) {
    const lagUs = sendLag?.p99Us ?? 0;
    // A search reads off where latency reaches its limit: a lag that is little of the limit moves that little.
    const ofLatency = Math.max(latency.p50Us, 1000 * (leastLatencyLimitMs(load) ?? 0));
    const isLate = lagUs > validityLimits.sendLagP99Us && lagUs > validityLimits.sendLagShare * ofLatency;
    return isLate ? `1 in 100 requests sent ${(lagUs / 1000).toFixed(1)} ms late or more` : null;
  },
  paused({ slice: { generator } }) {
    return generator.pausedMs === undefined ? null : formatDuration(generator.pausedMs);
  },
  connections({ slice, load }) {
    if (slice.connections === undefined) return null;
    // An open loop opens as many as it needs, up to its limit.
    const least = closedLoopClients(slice.load) ?? 0;
    const asked = mostUnderWay(load, slice.load);
    const { opened, reopened, closingAnswers } = slice.connections;
    const requests = countAll(slice.whole);
    const spare = validityLimits.reconnectShare * requests;
    // What the service announces is how it serves: connecting again is in the latency, and counted as connecting. A failed
    // request may end its connection, and how many may fail is judged by itself.
    const { errors, timeouts } = slice.whole;
    const expected = asked + reopened + closingAnswers + errors + timeouts;
    if (opened >= least && opened <= expected + spare) return null;
    return `${opened} opened for ${asked}${closingAnswers === 0 ? '' : `, ${closingAnswers} closed by the service`}`;
  },
  'long answers'({ slice }) {
    if (!answersOutlastSlice(slice)) return null;
    const longestMs = slice.loadMs / Math.max(1, slice.turns?.ok.length ?? 1);
    const leastMs = 1000 * Math.ceil((ROOM_LATENCIES * longestMs) / 1000);
    return `up to ${formatDuration(longestMs)}: load.slice of at least ${formatDuration(leastMs)}`;
  },
  'listen overflow': ({ slice }) => atLeastOne(slice.work?.listenOverflows ?? null),
  retransmits({ slice, overNetwork }) {
    const { tcpRetransmits = null, tcpSegments = null } = slice.work ?? {};
    if (!overNetwork || tcpRetransmits === null || tcpSegments === null) return null;
    if (tcpRetransmits < validityLimits.retransmitsLeast) return null;
    return above(tcpRetransmits / Math.max(1, tcpSegments), validityLimits.retransmitShare);
  },
};

/** Reasons that overload explains. Overload is a result; a generator that lags is a flaw. */
const ofOverload: readonly VoidReason[] = ['failed requests', 'connections', 'listen overflow'];

/** Why a slice does not count; empty where it does. */
export function judgeSlice(measured: MeasuredSlice): Violation[] {
  const { slice, load } = measured;
  const { outcomes } = slice;
  const paused = checks.paused(measured);
  // All else that is odd in it follows from the pause.
  if (paused !== null) return [{ reason: 'paused', found: paused }];
  const counts = { unsent: outcomes.unsent ?? 0, requests: countAll(outcomes) };
  const byNature = [traitsOf(slice.load), sliceTraitsOf(load)].flatMap(({ unchecked }) => unchecked);
  const passedOver = [...byNature, ...(isNotSustained(counts, slice.load, load) ? ofOverload : [])];
  return (Object.entries(checks) as [VoidReason, ValidityCheck][]).flatMap(([reason, check]) => {
    if (passedOver.includes(reason)) return [];
    const found = check(measured);
    return found === null ? [] : [{ reason, found }];
  });
}

/** Where most failures of users who keep their sessions are 401. */
function expiredWords(slice: MeasuredSlice['slice'], { workload }: LoadSpec): string {
  if (workload.kind !== 'script' || !keepsSessions(workload)) return '';
  const failed = countAll(slice.outcomes) - countOk(slice);
  if ((slice.outcomes.statuses['401'] ?? 0) <= failed / 2) return '';
  return ', most of them 401: where sessions of users expire, load.sessions: new begins new ones';
}

function above(value: number | null, limit: number): string | null {
  return value !== null && value > limit ? formatShare(value) : null;
}

function atLeastOne(count: number | null): string | null {
  return count !== null && count > 0 ? String(count) : null;
}

function failedShare(slice: MeasuredSlice['slice']): number {
  const all = countAll(slice.outcomes);
  return all === 0 ? 0 : (all - countOk(slice)) / all;
}
