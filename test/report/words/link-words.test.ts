import { expect, it } from 'vitest';
import type { PoolerSpec } from '../../../src/journal/link/pooler.ts';
import { linkFacts, linkSettings, poolerWords } from '../../../src/report/words/link-words.ts';

const pooler: PoolerSpec = { kind: 'pgbouncer', mode: 'transaction', size: 20, settings: {} };
const variant = (name: string, own?: PoolerSpec) => ({ name, factors: {}, env: {}, ...(own && { pooler: own }) });

it('a pooler is told by its mode and its connections', () => {
  expect(poolerWords(pooler)).toBe('PgBouncer, transaction mode, 20 connections');
  expect(poolerWords({ ...pooler, size: 1, reserveSize: 2, maxPreparedStatements: 100 })).toBe(
    'PgBouncer, transaction mode, 1 connection and 2 in reserve, 100 prepared statements each',
  );
  expect(linkSettings([variant('A'), variant('B')])).toEqual([]);
  expect(linkSettings([variant('A', pooler), variant('B', pooler)])).toEqual([['pooler', poolerWords(pooler)]]);
  expect(linkSettings([variant('A'), variant('B', pooler)])).toEqual([['pooler', `A none; B ${poolerWords(pooler)}`]]);
});

it('one that was seen, with its version and what it used', () => {
  expect(linkFacts([{ variant: 'B', pooler: { version: '1.18.0', asked: pooler }, cpus: 0.123 }])).toEqual([
    [
      "before B's database",
      'PgBouncer, transaction mode, 20 connections (1.18.0); what stands there used 0.12 CPUs under load',
    ],
  ]);
});
