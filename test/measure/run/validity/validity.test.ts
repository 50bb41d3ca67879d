import { describe, expect, it } from 'vitest';
import { type SliceRecord, type VoidReason, voidReasons } from '../../../../src/journal/records.ts';
import type { LoadSpec } from '../../../../src/journal/scenario-record.ts';
import type { TurnWorkRecord } from '../../../../src/journal/slice-record.ts';
import { checks, judgeSlice, type MeasuredSlice } from '../../../../src/measure/run/validity/validity.ts';
import { testScenario } from '../../../fixtures/scenario.ts';

const work: TurnWorkRecord = {
  serviceCpuMs: 1000,
  postgresCpuMs: 1000,
  idleCpuMs: 10,
  idleMs: 20_000,
  walBytes: 1e6,
  tcpSegments: 100_000,
  tcpRetransmits: 0,
  listenOverflows: 0,
};
const untold = Object.fromEntries(Object.keys(work).map((name) => [name, null])) as unknown as TurnWorkRecord;
const outcomes = { statuses: { '200': 5000 }, errors: 0, timeouts: 0 };
const latency = { count: 5000, meanUs: 20_000, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' };
const connections = { opened: 25, reopened: 0, closingAnswers: 0 };
const slice: MeasuredSlice['slice'] = {
  load: { connections: 25 },
  windowMs: 4000,
  loadMs: 5000,
  busyMs: 100_000,
  outcomes,
  whole: outcomes,
  latency,
  generator: { eventLoopUtilisation: 0.5, cpuMs: 1000 },
  connections,
  work,
};
const load: LoadSpec = testScenario().load;
const healthy: MeasuredSlice = { slice, load, overNetwork: false };
const reasons = (measured: MeasuredSlice): VoidReason[] => judgeSlice(measured).map(({ reason }) => reason);
const measured = (changes: Partial<MeasuredSlice['slice']>): MeasuredSlice => ({
  ...healthy,
  slice: { ...slice, ...changes },
});
const working = (changes: Partial<TurnWorkRecord>): MeasuredSlice => measured({ work: { ...work, ...changes } });
const connected = (changes: Partial<NonNullable<SliceRecord['connections']>>): MeasuredSlice =>
  measured({ connections: { ...connections, ...changes } });
const answered = (statuses: Record<string, number>, others = {}): MeasuredSlice =>
  measured({ outcomes: { statuses, errors: 0, timeouts: 0, ...others }, latency });
const busy = (share: number): MeasuredSlice => measured({ busyMs: 100_000 * share });
const remote = (one: MeasuredSlice): MeasuredSlice => ({ ...one, overNetwork: true });

describe('a slice', () => {
  it('that is healthy is not void, nor is one of a machine that tells nothing', () => {
    expect(judgeSlice(healthy)).toEqual([]);
    expect(judgeSlice(remote(measured({ work: untold })))).toEqual([]);
    const { connections: _connections, busyMs: _busyMs, work: _work, ...bare } = slice;
    expect(judgeSlice(remote({ ...healthy, slice: bare }))).toEqual([]);
  });

  it('has a check for every reason but the one that needs complete counters', () => {
    expect([...Object.keys(checks), 'transactions'].sort()).toEqual([...voidReasons].sort());
  });

  it.each<[VoidReason, string, MeasuredSlice]>([
    ['failed requests', '2 %', answered({ '200': 4900, '500': 100 })],
    ['failed requests', '1.6 %', answered({ '200': 4920 }, { timeouts: 40, errors: 40 })],
    ['littles law', 'connections busy 80 % of the time', busy(0.8)],
    ['littles law', 'connections busy 0 % of the time', busy(0)],
    ['littles law', 'connections busy 120 % of the time', busy(1.2)],
    ['littles law', 'connections busy 110 % of the time', busy(1.1)],
    [
      'long answers',
      'up to 6.2 s: load.slice of at least 13 s',
      measured({ outcomes: { ...outcomes, statuses: {} }, latency: { ...latency, count: 0 }, loadMs: 6200 }),
    ],
    ['generator busy', '90 %', measured({ generator: { eventLoopUtilisation: 0.9, cpuMs: 1 } })],
    [
      'paused',
      '20 s',
      // What else is odd follows from it.
      measured({ generator: { eventLoopUtilisation: 0.96, cpuMs: 1, pausedMs: 20_000 }, busyMs: 20_000 }),
    ],
    ['listen overflow', '3', working({ listenOverflows: 3 })],
    ['retransmits', '0.2 %', remote(working({ tcpRetransmits: 200 }))],
    ['connections', '20 opened for 25', connected({ opened: 20 })],
    ['connections', '2525 opened for 25', connected({ opened: 2525 })],
    ['connections', '2525 opened for 25', connected({ opened: 2525, reopened: 250 })],
    ['connections', '20 opened for 25', connected({ opened: 20, reopened: 5 })],
    [
      'connections',
      '2525 opened for 25, 1200 closed by the service',
      connected({ opened: 2525, closingAnswers: 1200 }),
    ],
    [
      'connections',
      '5600 opened for 25, 5000 closed by the service',
      connected({ opened: 5600, closingAnswers: 5000 }),
    ],
    ['connections', '20 opened for 25, 5000 closed by the service', connected({ opened: 20, closingAnswers: 5000 })],
  ])('is void for %s (%s), and for nothing else', (reason, found, one) => {
    expect(judgeSlice(one)).toEqual([{ reason, found }]);
  });

  it.each<[string, MeasuredSlice]>([
    ['as many failures as are allowed', answered({ '200': 4950, '500': 50 })],
    [
      'the generator’s own time with fast answers',
      measured({ latency: { ...latency, count: 400_000 }, busyMs: 64_000 }),
    ],
    ['retransmits on loopback, where they strike all arms alike', working({ tcpRetransmits: 200 })],
    ['two retransmits among few segments', remote(working({ tcpRetransmits: 2, tcpSegments: 100 }))],
    ['a connection that was opened anew', connected({ opened: 26 })],
    ['connections that the service closed while the arm was idle', connected({ opened: 525, reopened: 500 })],
    ['a service that closes after some answers, and says so', connected({ opened: 2525, closingAnswers: 2500 })],
    [
      'requests of which none is ever answered',
      measured({
        outcomes: { ...outcomes, statuses: {} },
        whole: { ...outcomes, statuses: {} },
        connections: { ...connections, opened: 25 },
      }),
    ],
    ['a service that closes after every answer', connected({ opened: 5000, closingAnswers: 5000 })],
    [
      'connections in place of those that failed, where as many may fail',
      {
        ...measured({
          connections: { ...connections, opened: 2525 },
          whole: { ...outcomes, errors: 2000, timeouts: 500 },
        }),
        load: { ...load, maxFailedPercent: 50 },
      },
    ],
    ['work between its turns, of which the run makes a pass in whole slices', working({ idleCpuMs: 10_000 })],
  ])('is not void for %s', (_, one) => {
    expect(reasons(one)).toEqual([]);
  });
});

it('failures of users whose sessions expire name what begins new ones', () => {
  const script = (more: object) => ({ ...load, workload: { kind: 'script', parts: [], ...more } as const });
  const { slice: failing } = answered({ '200': 4000, '401': 900, '500': 100 });
  const found = (of: MeasuredSlice['load']): string =>
    judgeSlice({ ...healthy, slice: failing, load: of })
      .map((one) => one.found)
      .join();
  expect(found(script({}))).toBe(
    '20 %, most of them 401: where sessions of users expire, load.sessions: new begins new ones',
  );
  expect(found(script({ sessions: 'new' }))).toBe('20 %');
  expect(found(script({ parts: [{ kind: 'choice', ways: [] }] }))).toBe('20 %');
  expect(found(load)).toBe('20 %');
  const { slice: broken } = answered({ '200': 4000, '401': 100, '500': 900 });
  expect(judgeSlice({ ...healthy, slice: broken, load: script({}) })).toMatchObject([{ found: '20 %' }]);
});

describe('an open loop', () => {
  const openLoop = { arrivals: 'poisson', inFlight: 400 } as const;
  const lag = (p99Us: number, p50Us: number): MeasuredSlice => ({
    ...healthy,
    load: { ...load, openLoop },
    slice: {
      ...slice,
      load: { rate: 200 },
      busyMs: 10_000,
      latency: { ...latency, p50Us },
      sendLag: { ...latency, p99Us },
    },
  });

  it.each([
    ['lag over 2 ms and over a tenth of the median', lag(2500, 20_000), ['send lag']],
    ['lag over 2 ms that is little beside the median', lag(4000, 50_000), []],
    ['lag under 2 ms', lag(1900, 2000), []],
  ])('%s', (_, one, expected) => {
    expect(reasons(one)).toEqual(expected);
  });

  it.each([
    ['lag that is little of the limit that a search looks for', 3000, 60, []],
    ['lag of over a tenth of it', 7000, 60, ['send lag']],
    ['lag in a search for no limit of latency', 3000, null, ['send lag']],
  ])('%s', (_, p99Us, p95Ms, expected) => {
    const one = lag(p99Us, 8000);
    const until = p95Ms === null ? [{ metric: 'failed', most: 0.01 }] : [{ metric: 'p95_ms', most: p95Ms }];
    const capacity = { of: 'rate', from: 10, to: 1000, until } as const;
    expect(reasons({ ...one, load: { ...one.load, capacity } })).toEqual(expected);
  });

  it('is no closed loop: connections rest, and are as many as are needed', () => {
    const one = lag(100, 20_000);
    expect(reasons({ ...one, slice: { ...one.slice, connections: { ...connections, opened: 3 } } })).toEqual([]);
    expect(reasons({ ...one, slice: { ...one.slice, connections: { ...connections, opened: 900 } } })).toEqual([
      'connections',
    ]);
  });

  it('that the service does not sustain is a result, whatever else breaks with it', () => {
    const one = lag(100, 900_000);
    const broken = {
      ...one.slice,
      outcomes: { ...outcomes, timeouts: 300, unsent: 3000 },
      connections: { ...connections, opened: 900 },
      work: { ...work, listenOverflows: 2 },
    };
    expect(reasons({ ...one, slice: broken })).toEqual([]);
    // As many as may fail may be not sent, and what else fails counts.
    const sustained = { ...broken, outcomes: { ...outcomes, timeouts: 300, unsent: 40 } };
    expect(reasons({ ...one, slice: sustained })).toEqual(['failed requests', 'connections', 'listen overflow']);
  });

  it('is void where the load generator was late or busy, and so may have sent too little by itself', () => {
    const late = lag(100_000, 900_000);
    const unsent = { ...outcomes, unsent: 3000 };
    expect(reasons({ ...late, slice: { ...late.slice, outcomes: unsent } })).toEqual(['send lag']);
    const generator = { eventLoopUtilisation: 0.95, cpuMs: 3800 };
    const busyOne = { ...lag(100, 900_000).slice, outcomes: unsent, generator };
    expect(reasons({ ...late, slice: busyOne })).toEqual(['generator busy']);
  });

  it('of iterations of a k6 script says nothing of the service: a script may pause', () => {
    const one = lag(100, 20_000);
    const iterations = { ...one.slice, load: { rate: 200, of: 'iterations' as const } };
    expect(reasons({ ...one, slice: { ...iterations, outcomes: { ...outcomes, unsent: 100 } } })).toEqual([
      'failed requests',
    ]);
  });
});

it('of so many requests and no more, connections may have nothing left to send', () => {
  const bounded = { count: 900, limitMs: 60_000 };
  expect(reasons({ ...busy(0.8), load: { ...load, bounded } })).toEqual([]);
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
    const bulk = { ...failing, load: { connections: 25, of: 'bulk' as const } };
    expect(reasons({ ...healthy, slice: bulk })).toEqual([]);
    expect(reasons({ ...healthy, slice: { ...bulk, work: { ...work, listenOverflows: 1 } } })).toEqual([
      'listen overflow',
    ]);
  });
});
