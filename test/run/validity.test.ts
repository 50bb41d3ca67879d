import { describe, expect, it } from 'vitest';
import { type ConditionsRecord, type VoidReason, voidReasons } from '../../src/journal/records.ts';
import type { LoadSpec } from '../../src/journal/scenario-record.ts';
import { checks, judgeSlice, type MeasuredSlice } from '../../src/run/validity.ts';
import { testScenario } from '../fixtures/scenario.ts';

const conditions: ConditionsRecord = {
  stealShare: 0,
  foreignCpuShare: 0.01,
  memoryPressureShare: 0,
  ioPressureShare: 0.3,
  tcpSegments: 100_000,
  tcpRetransmits: 0,
  listenOverflows: 0,
  checkpoints: 0,
  autovacuums: 0,
  connectionsOpened: 25,
};
const unknown = Object.fromEntries(Object.keys(conditions).map((name) => [name, null])) as unknown as ConditionsRecord;
const outcomes = { statuses: { '200': 5000 }, errors: 0, timeouts: 0 };
const latency = { count: 5000, meanUs: 20_000, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' };
const slice: MeasuredSlice['slice'] = {
  load: { connections: 25 },
  loadMs: 5000,
  windowMs: 4000,
  outcomes,
  whole: outcomes,
  latency,
  generator: { eventLoopUtilisation: 0.5, cpuMs: 1000 },
};
const load: LoadSpec = testScenario().load;
const healthy: MeasuredSlice = { slice, conditions, load, earlier: [] };
const reasons = (measured: MeasuredSlice): VoidReason[] => judgeSlice(measured).map(({ reason }) => reason);
const under = (changes: Partial<ConditionsRecord>): MeasuredSlice => ({
  ...healthy,
  conditions: { ...conditions, ...changes },
});
const measured = (changes: Partial<MeasuredSlice['slice']>): MeasuredSlice => ({
  ...healthy,
  slice: { ...slice, ...changes },
});
const answered = (statuses: Record<string, number>, others = {}): MeasuredSlice =>
  measured({ outcomes: { statuses, errors: 0, timeouts: 0, ...others }, latency });

describe('a slice', () => {
  it('that is healthy is not void, nor is one of a machine that tells nothing', () => {
    expect(judgeSlice(healthy)).toEqual([]);
    expect(judgeSlice({ ...healthy, conditions: unknown })).toEqual([]);
  });

  it('has a check for every reason but the one that needs complete counters', () => {
    expect([...Object.keys(checks), 'transactions'].sort()).toEqual([...voidReasons].sort());
  });

  it.each<[VoidReason, string, MeasuredSlice]>([
    ['failed requests', '2 %', answered({ '200': 4900, '500': 100 })],
    ['failed requests', '1.6 %', answered({ '200': 4920 }, { timeouts: 40, errors: 40 })],
    ['littles law', 'connections busy 80 % of the time', measured({ latency: { ...latency, count: 4000 } })],
    ['littles law', 'connections busy 0 % of the time', measured({ latency: { ...latency, count: 0 } })],
    ['littles law', 'connections busy 110 % of the time', measured({ latency: { ...latency, count: 5500 } })],
    ['generator busy', '90 %', measured({ generator: { eventLoopUtilisation: 0.9, cpuMs: 1 } })],
    ['retransmits', '0.2 %', under({ tcpRetransmits: 200 })],
    ['retransmits', '3 listen overflows', under({ listenOverflows: 3 })],
    ['cpu steal', '2 %', under({ stealShare: 0.02 })],
    ['foreign cpu', '12 %', under({ foreignCpuShare: 0.12 })],
    ['memory pressure', '20 %', under({ memoryPressureShare: 0.2 })],
    ['checkpoint', '1', under({ checkpoints: 1 })],
    ['autovacuum', '2', under({ autovacuums: 2 })],
    ['connections', '20 opened for 25', under({ connectionsOpened: 20 })],
    ['connections', '2525 opened for 25', under({ connectionsOpened: 2525 })],
    [
      'connections',
      '2525 opened for 25, 2500 closed by the service',
      under({ connectionsOpened: 2525, closingAnswers: 2500 }),
    ],
    [
      'connections',
      '5600 opened for 25, 5000 closed by the service',
      under({ connectionsOpened: 5600, closingAnswers: 5000 }),
    ],
    [
      'connections',
      '20 opened for 25, 5000 closed by the service',
      under({ connectionsOpened: 20, closingAnswers: 5000 }),
    ],
  ])('is void for %s (%s), and for nothing else', (reason, found, one) => {
    expect(judgeSlice(one)).toEqual([{ reason, found }]);
  });

  it.each<[string, MeasuredSlice]>([
    ['as many failures as are allowed', answered({ '200': 4950, '500': 50 })],
    ['the generator’s own time with fast answers', measured({ latency: { ...latency, count: 400_000, meanUs: 160 } })],
    [
      'answers that straddle the ends of the window',
      measured({
        latency: { ...latency, count: 30, meanUs: 3_000_000 },
        outcomes: { ...outcomes, statuses: { '200': 30 } },
      }),
    ],
    ['two retransmits among few segments', under({ tcpRetransmits: 2, tcpSegments: 100 })],
    ['a connection that was opened anew', under({ connectionsOpened: 26 })],
    ['a service that closes after every answer', under({ connectionsOpened: 5000, closingAnswers: 5000 })],
    ['one tick of steal in a short slice', { ...under({ stealShare: 0.012 }), slice: { ...slice, loadMs: 500 } }],
  ])('is not void for %s', (_, one) => {
    expect(reasons(one)).toEqual([]);
  });
});

describe('io pressure', () => {
  const earlier = (...shares: number[]): ConditionsRecord[] =>
    shares.map((ioPressureShare) => ({ ...conditions, ioPressureShare }));

  it('voids where it jumps above what is usual for the cell, however high that is', () => {
    const usual = earlier(0.6, 0.62, 0.9);
    expect(reasons({ ...under({ ioPressureShare: 0.8 }), earlier: usual })).toEqual([]);
    expect(judgeSlice({ ...under({ ioPressureShare: 0.9 }), earlier: usual })).toEqual([
      { reason: 'io pressure', found: '90 %' },
    ]);
  });

  it('is not judged before the cell has a usual value', () => {
    expect(reasons({ ...under({ ioPressureShare: 1 }), earlier: earlier(0, 0) })).toEqual([]);
  });
});

describe('what counts as failed', () => {
  it('is what is not as expected, where something else than 2xx is', () => {
    const refused = answered({ '409': 5000 });
    expect(reasons(refused)).toEqual(['failed requests']);
    expect(reasons({ ...refused, slice: { ...refused.slice, ok: 5000 } })).toEqual([]);
    const created = answered({ '200': 100, '201': 4900 });
    expect(reasons(created)).toEqual([]);
    expect(reasons({ ...created, slice: { ...created.slice, ok: 4900 } })).toEqual(['failed requests']);
  });

  it('may be allowed at a higher rate', () => {
    const some = answered({ '200': 4800, '409': 200 });
    expect(reasons({ ...some, load: { ...load, maxFailedPercent: 5 } })).toEqual([]);
  });

  it('is a result of a bulk load, and no reason to leave it out', () => {
    const { slice: failing } = answered({ '201': 4000, '409': 1000 });
    const bulk = { ...failing, load: { connections: 25, bulk: true as const } };
    expect(reasons({ ...healthy, slice: bulk })).toEqual([]);
    expect(reasons({ ...under({ foreignCpuShare: 0.12 }), slice: bulk })).toEqual(['foreign cpu']);
  });
});
