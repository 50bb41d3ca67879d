import { describe, expect, test } from 'vitest';
import type { CellSample } from '../../../src/judge/read/cells/cell-sample.ts';
import { nothingUncounted, type Uncounted } from '../../../src/judge/read/cells/uncounted.ts';
import { failureCaveats, uncountedCaveats } from '../../../src/judge/verdicts/caveats.ts';

const uncounted = (requests: number, failed: number): Uncounted => ({ ...nothingUncounted, requests, failed });

function sample(requests: number, failed: number): CellSample {
  return {
    windowMs: 1,
    statuses: new Map([
      ['200', requests - failed],
      ['500', failed],
    ]),
    errors: 0,
    timeouts: 0,
    unsent: 0,
    sendLagP99Us: null,
    bounded: null,
    beside: null,
    ok: requests - failed,
    rateMs: 4000,
    came: null,
    notOk: failed,
    bytes: 0,
    latency: null,
    requests: new Map(),
    database: null,
    work: {},
    generatorUtilisation: 0.2,
    probe: () => undefined,
  };
}

describe('more failures are marked', () => {
  test('when the difference is both large and sure', () => {
    expect(failureCaveats(sample(2000, 40), sample(4000, 4))).toEqual([
      { kind: 'more-failures', failed: 40, requests: 2000, controlFailed: 4, controlRequests: 4000 },
    ]);
  });

  test('not when it is sure but under 0.1 % of the requests', () => {
    expect(failureCaveats(sample(1_000_000, 500), sample(2_000_000, 0))).toEqual([]);
  });

  test('not when it is large but may be chance', () => {
    expect(failureCaveats(sample(200, 1), sample(400, 0))).toEqual([]);
  });

  test('and of what is not counted likewise', () => {
    expect(uncountedCaveats(uncounted(500, 30), uncounted(1000, 0))).toEqual([
      { kind: 'more-uncounted-failures', failed: 30, requests: 500, controlFailed: 0, controlRequests: 1000 },
    ]);
    expect(uncountedCaveats(uncounted(500, 2), uncounted(1000, 0))).toEqual([]);
    expect(uncountedCaveats(uncounted(500, 0), uncounted(1000, 60))).toEqual([]);
    expect(uncountedCaveats(uncounted(0, 0), uncounted(1000, 0))).toEqual([]);
  });

  test('and without requests, or without a cell, nothing is said', () => {
    expect(failureCaveats(sample(0, 0), sample(400, 0))).toEqual([]);
    expect(failureCaveats(null, sample(400, 0))).toEqual([]);
    expect(failureCaveats(sample(10, 10), null)).toEqual([]);
  });
});
