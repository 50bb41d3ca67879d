import { expect, it } from 'vitest';
import type { PoolerSpec } from '../../../src/journal/link/pooler.ts';
import type { VariantParts } from '../../../src/journal/variant-parts.ts';
import { linkFacts, partChanges, partFacts, sharedPartFacts, writtenParts } from '../../../src/report/parts/parts.ts';
import { pooler as poolerPart } from '../../../src/report/parts/pooler.ts';

const pooler: PoolerSpec = { kind: 'pgbouncer', mode: 'transaction', size: 20, settings: {} };
const words = 'PgBouncer, transaction mode, 20 connections';
const facts = (...variants: VariantParts[]) =>
  partFacts(
    variants.map((parts, index) => ({ name: 'ABC'[index] ?? '', ...parts })),
    [{ connections: 5 }],
  );

it('a pooler is told by its mode and its connections', () => {
  expect(poolerPart.words(pooler)).toBe(words);
  const limited = { ...pooler, settings: { max_user_connections: '4' } };
  expect(poolerPart.words(limited)).toBe(`${words}, at most 4 by max_user_connections`);
  expect(poolerPart.words({ ...pooler, size: 1, reserveSize: 2, maxPreparedStatements: 100 })).toBe(
    'PgBouncer, transaction mode, 1 connection and 2 in reserve, 100 prepared statements each',
  );
});

it('a part is said once where all variants have it alike, and not where none has it', () => {
  expect(facts({}, {})).toEqual([]);
  expect(facts({ pooler }, { pooler })).toEqual([['pooler', words]]);
  expect(facts({}, { pooler })).toEqual([['pooler', `A none; B ${words}`]]);
  expect(facts({ instances: 2 }, { distance: { rttMs: 1 }, pooler })).toEqual([
    ['instances', '1 and 2 processes of the service, connections dealt to them in order'],
    ['distance', 'A direct; B 1 ms'],
    ['pooler', `A none; B ${words}`],
  ]);
});

it('a part stands in the changes of its variant, unless it is said of all together', () => {
  const variant = { instances: 2, distance: { rttMs: 1, jitterMs: 0.1, bandwidthMbit: 100 }, pooler };
  expect(partChanges(variant)).toEqual(['distance 1 ms ± 0.1 ms, 100 Mbit/s', words]);
  expect(sharedPartFacts([{ name: 'A', ...variant }], [{ rate: 5 }])).toEqual([
    ['instances', '2 processes of the service, requests dealt to them in order'],
  ]);
});

it('one that was measured has its version and its use of the CPU', () => {
  expect(linkFacts([{ variant: 'B', pooler: { version: '1.18.0', asked: pooler }, cpus: 0.123 }])).toEqual([
    ["before B's database", `${words} (1.18.0); processes in between used 0.12 CPUs under load`],
  ]);
});

it('parts are written as a scenario has them, also those that only another variant has', () => {
  expect(writtenParts({ instances: 2, distance: { rttMs: 1 }, pooler })).toEqual({
    instances: 2,
    distance: { rtt: '1ms' },
    pooler: { pgbouncer: { mode: 'transaction', size: 20 } },
  });
  expect(writtenParts({ instances: null, distance: null, pooler: null })).toEqual({
    instances: 1,
    distance: { rtt: '0ms' },
    pooler: 'off',
  });
  expect(writtenParts({})).toEqual({});
});
