import { expect, it } from 'vitest';
import {
  type StatementEntry,
  statementCounters,
  statementsBetween,
} from '../../../../src/measure/probe/statements/model.ts';

const none = Object.fromEntries(Object.keys(statementCounters).map((name) => [name, null])) as StatementEntry['counts'];

/** A line as neither extension has printed it: numbers of the test's own. */
const line = (id: string, calls: number, total_ms: number, more: Partial<StatementEntry> = {}): StatementEntry => ({
  id,
  counts: { ...none, calls, total_ms },
  ...more,
});

const told = (before: Record<string, StatementEntry>, after: Record<string, StatementEntry>) => {
  const { statements, errors } = statementsBetween(new Map(Object.entries(before)), new Map(Object.entries(after)));
  return {
    statements: statements.map(({ id, counts, histogram }) => [id, counts.calls, counts.total_ms, histogram]),
    errors: errors.map(({ id, counts, error }) => [id, counts.calls, error?.sqlState]),
  };
};

it('a line that goes on is counted from where it stood; one that was reset, from its beginning; a new one whole', () => {
  const before = { a: line('7', 100, 50, { histogram: [90, 10] }), b: line('9', 100, 50, { histogram: [100, 0] }) };
  const after = {
    a: line('7', 130, 80, { histogram: [110, 20] }),
    b: line('9', 4, 2, { histogram: [4, 0] }),
    c: line('7', 5, 9, { histogram: [0, 5] }),
  };
  expect(told(before, after)).toEqual({
    statements: [
      ['7', 35, 39, [20, 15]],
      ['9', 4, 2, [4, 0]],
    ],
    errors: [],
  });
});

it('calls that took no time failed; what failed beside calls that did not is told without a number', () => {
  const error = { sqlState: '55P03', message: 'could not obtain lock' };
  const before = { commit: line('1', 10, 5), lock: line('2', 10, 5, { error }) };
  const after = {
    // The first call that failed came in this slice.
    commit: line('1', 30, 15, { error: { ...error, sqlState: '40001' } }),
    // One failed before; whether one did in this slice is not known.
    lock: line('2', 20, 9, { error }),
    failed: line('3', 4, 0, { error }),
    inNextBucket: line('3', 3, 0, { error }),
  };
  expect(told(before, after)).toEqual({
    statements: [
      ['1', 20, 10, undefined],
      ['2', 10, 4, undefined],
    ],
    errors: [
      ['3', 7, '55P03'],
      ['1', null, '40001'],
    ],
  });
});
