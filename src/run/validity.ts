import { countAll, countOk } from '../journal/outcomes.ts';
import type { ConditionsRecord, SliceRecord, VoidReason } from '../journal/records.ts';
import type { LoadSpec } from '../journal/scenario-record.ts';
import { validityLimits as limits } from './validity-limits.ts';

/** What the checks look at. */
export interface MeasuredSlice {
  readonly slice: Pick<
    SliceRecord,
    'load' | 'loadMs' | 'windowMs' | 'outcomes' | 'ok' | 'whole' | 'latency' | 'generator'
  >;
  readonly conditions: ConditionsRecord;
  readonly load: LoadSpec;
  /** Of valid slices of the same cell earlier in this run. */
  readonly earlier: readonly ConditionsRecord[];
}

/** A reason for which a slice does not count, with what was found: `12 %`. */
export interface Voided {
  readonly reason: VoidReason;
  readonly found: string;
}

/** What a check finds wrong, for people; null where nothing is, or where this machine does not tell. */
type Check = (measured: MeasuredSlice) => string | null;

/** `transactions` is missing: it is judged from the counters, which are complete only later (src/analysis/validity.ts). */
export const checks: Readonly<Record<Exclude<VoidReason, 'transactions'>, Check>> = {
  'failed requests'({ slice, load }) {
    const failed = failedShare(slice);
    const allowed = (load.maxFailedPercent ?? limits.failedPercent) / 100;
    return failed > allowed ? percent(failed) : null;
  },
  'littles law'({ slice }) {
    const { latency, windowMs, load } = slice;
    if (failedShare(slice) > limits.littlesLawMostFailed) return null;
    const busyShare = (latency.count * latency.meanUs) / 1000 / windowMs / load.connections;
    const straddling = latency.meanUs / 1000 / windowMs;
    const own = (latency.count * limits.littlesLawOwnMsPerRequest) / windowMs / load.connections;
    return busyShare < 1 - limits.littlesLaw - straddling - own || busyShare > 1 + limits.littlesLaw + straddling
      ? `connections busy ${percent(busyShare)} of the time`
      : null;
  },
  'generator busy': ({ slice }) => above(slice.generator.eventLoopUtilisation, limits.eventLoopUtilisation),
  retransmits({ conditions: { tcpRetransmits, tcpSegments, listenOverflows } }) {
    if (listenOverflows !== null && listenOverflows > 0) return `${listenOverflows} listen overflows`;
    if (tcpRetransmits === null || tcpSegments === null || tcpRetransmits < limits.retransmitsLeast) return null;
    return above(tcpRetransmits / Math.max(1, tcpSegments), limits.retransmitShare);
  },
  'cpu steal': ({ slice, conditions }) => above(conditions.stealShare, limits.stealShare + coarseness(slice)),
  'foreign cpu': ({ slice, conditions }) =>
    above(conditions.foreignCpuShare, limits.foreignCpuShare + coarseness(slice)),
  'memory pressure': ({ conditions }) => above(conditions.memoryPressureShare, limits.memoryPressureShare),
  'io pressure'({ conditions: { ioPressureShare }, earlier }) {
    const usual = medianOf(earlier.flatMap((one) => one.ioPressureShare ?? []));
    return usual === null ? null : above(ioPressureShare, usual + limits.ioPressureJump);
  },
  checkpoint: ({ conditions: { checkpoints } }) => atLeastOne(checkpoints),
  autovacuum: ({ conditions: { autovacuums } }) => atLeastOne(autovacuums),
  connections({ slice, conditions: { connectionsOpened, closingAnswers = 0 } }) {
    if (connectionsOpened === null) return null;
    const asked = slice.load.connections;
    const requests = countAll(slice.whole);
    const spare = limits.reconnectShare * requests;
    // A service that closes after every answer is like that: connecting is a part of what it costs, in every slice and
    // in every latency alike. One that closes after some of them is measured differently from slice to slice.
    const closesEach = closingAnswers >= requests - spare;
    const expected = asked + (closesEach ? closingAnswers : 0);
    if (connectionsOpened >= asked && connectionsOpened <= expected + spare) return null;
    const closed = closingAnswers === 0 ? '' : `, ${closingAnswers} closed by the service`;
    return `${connectionsOpened} opened for ${asked}${closed}`;
  },
};

/**
 * Of a bulk load, documents that fail are a result, which the report marks; what waits for a document that it refers to
 * leaves connections idle.
 */
const notOfBulk: readonly VoidReason[] = ['failed requests', 'littles law', 'connections'];

/** Why a slice does not count; empty where it does. */
export function judgeSlice(measured: MeasuredSlice): Voided[] {
  const isBulk = measured.slice.load.bulk === true;
  return (Object.entries(checks) as [VoidReason, Check][]).flatMap(([reason, check]) => {
    if (isBulk && notOfBulk.includes(reason)) return [];
    const found = check(measured);
    return found === null ? [] : [{ reason, found }];
  });
}

function above(value: number | null, limit: number): string | null {
  return value !== null && value > limit ? percent(value) : null;
}

function atLeastOne(count: number | null): string | null {
  return count !== null && count > 0 ? String(count) : null;
}

function failedShare(slice: MeasuredSlice['slice']): number {
  const all = countAll(slice.outcomes);
  return all === 0 ? 0 : (all - countOk(slice)) / all;
}

function coarseness({ loadMs }: { readonly loadMs: number }): number {
  return limits.tickMs / loadMs;
}

function medianOf(values: readonly number[]): number | null {
  if (values.length < limits.jumpLeastEarlier) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
