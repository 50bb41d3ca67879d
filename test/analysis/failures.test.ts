import { describe, expect, test } from 'vitest';
import type { CellSample } from '../../src/analysis/cell-sample.ts';
import { failureNote } from '../../src/analysis/failures.ts';

function sample(requests: number, failed: number): CellSample {
  return {
    windowMs: 1,
    statuses: new Map([
      ['200', requests - failed],
      ['500', failed],
    ]),
    errors: 0,
    timeouts: 0,
    ok: requests - failed,
    notOk: failed,
    bytes: 0,
    latency: null,
    database: null,
    generatorUtilisation: 0.2,
    probe: () => undefined,
    probes: {},
  };
}

describe('more failures are marked', () => {
  test('when the difference is both large and sure', () => {
    expect(failureNote(sample(2000, 40), sample(4000, 4))).toBe('more requests failed: 2 % (control 0.1 %)');
  });

  test('not when it is sure but under 0.1 % of the requests', () => {
    expect(failureNote(sample(1_000_000, 500), sample(2_000_000, 0))).toBeNull();
  });

  test('not when it is large but may be chance', () => {
    expect(failureNote(sample(200, 1), sample(400, 0))).toBeNull();
  });

  test('and without requests, or without a cell, nothing is said', () => {
    expect(failureNote(sample(0, 0), sample(400, 0))).toBeNull();
    expect(failureNote(null, sample(400, 0))).toBeNull();
    expect(failureNote(sample(10, 10), null)).toBeNull();
  });
});
