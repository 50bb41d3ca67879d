import { describe, expect, it, test } from 'vitest';
import {
  closedLoopClients,
  loadKey,
  loadLabel,
  loadSize,
  loadUnit,
  mostUnderWay,
  underLoad,
} from '../../src/journal/load-level.ts';
import type { LoadLevel } from '../../src/journal/scenario-record.ts';

describe('a load level has a key, a label, a size and a unit', () => {
  test.each<[LoadLevel, string, string, number, string]>([
    [{ connections: 25 }, 'connections=25', '25 connections', 25, 'connections'],
    [{ connections: 1 }, 'connections=1', '1 connection', 1, 'connections'],
    [{ rate: 200 }, 'rate=200', '200 requests/s', 200, 'requests/s'],
    [{ rate: 0.5 }, 'rate=0.5', '0.5 requests/s', 0.5, 'requests/s'],
    [{ rate: 20, of: 'iterations' }, 'rate=20', '20 iterations/s', 20, 'iterations/s'],
    [{ users: 1 }, 'users=1', '1 user', 1, 'users'],
    [{ users: 3, of: 'vus' }, 'users=3', '3 users', 3, 'users'],
    [{ connections: 5, of: 'bulk' }, 'bulk connections=5', 'bulk load, 5 connections', 5, 'connections'],
    [{ users: 8, workload: 'get-schools' }, 'get-schools users=8', 'get-schools, 8 users', 8, 'users'],
  ])('%j', (load, key, label, size, unit) => {
    expect([loadKey(load), loadLabel(load), loadSize(load), loadUnit(load)]).toEqual([key, label, size, unit]);
  });
});

it('levels of the same size and another unit are not alike', () => {
  const rows = [{ load: { connections: 8 } }, { load: { users: 8 } }, { load: { rate: 8 } }];
  expect(underLoad(rows, { users: 8 })).toEqual([{ load: { users: 8 } }]);
});

it('only a closed loop says how many requests are under way', () => {
  const loads: LoadLevel[] = [{ connections: 8 }, { connections: 8, of: 'bulk' }, { users: 8 }, { rate: 8 }];
  expect(loads.map(closedLoopClients)).toEqual([8, null, null, null]);
});

it('a rate may have as many under way as the scenario allows', () => {
  const spec = { openLoop: { arrivals: 'constant', inFlight: 300 } } as const;
  expect([mostUnderWay(spec, { rate: 8 }), mostUnderWay({}, { users: 8 })]).toEqual([300, 8]);
});
