import { describe, expect, it } from 'vitest';
import { warningLine } from '../../../src/cli/progress/warning-words.ts';
import type { RunWarning } from '../../../src/measure/run/warnings.ts';

/** One of every kind: a kind that is new does not compile before it stands here. */
const warnings: { readonly [Kind in RunWarning['kind']]: RunWarning & { readonly kind: Kind } } = {
  'probe-missed': { kind: 'probe-missed', probe: 'processes', role: 'service', cause: 'process 7 is gone' },
  'metrics-missing': { kind: 'metrics-missing', path: '/metrics', names: ['go_gorutines'], near: [] },
  'samples-ended': { kind: 'samples-ended', cause: 'Connection terminated' },
  'identical-variants': { kind: 'identical-variants', names: ['A', 'B', 'C'] },
  'variants-differ-by-space': { kind: 'variants-differ-by-space', names: ['A', 'B'] },
  'names-differ-by-space': { kind: 'names-differ-by-space', names: ['A', 'A '] },
  'schema-differs': { kind: 'schema-differs', control: 'main', files: ['migrations/2.sql'] },
  'cpusets-overlap': {
    kind: 'cpusets-overlap',
    servers: [
      { name: 'postgres', cpuset: '0-1' },
      { name: 'opensearch', cpuset: '1' },
    ],
  },
  'cpusets-take-all': { kind: 'cpusets-take-all', cpus: 2 },
  'short-rounds': {
    kind: 'short-rounds',
    rounds: 5,
    turns: 2,
    usualTurns: 6,
    warmupMs: 2500,
    usualWarmupMs: 5000,
    roomyBudgetMs: 1_000_000,
  },
  examined: {
    kind: 'examined',
    finding: { name: 'swap', state: 'warning', found: '1 GiB in use', advice: 'Stop other programs: pgsweep doctor.' },
  },
  'limits-ignored': { kind: 'limits-ignored', keys: ['stack.postgres.cpus'], stack: 'embedded' },
  postgres: { kind: 'postgres', note: 'these Postgres differ in how they were built too' },
  'server-is-shared': {
    kind: 'server-is-shared',
    lacks: 'external',
    room: { copies: 5, copyBytes: 24 * 2 ** 20, bufferBytes: 64 * 2 ** 20, memoryBytes: null, diskBytes: null },
  },
  'left-out': {
    kind: 'left-out',
    leftOut: [{ file: 'shop.sql', kind: 'role', name: 'app' }],
  },
  'no-database-columns': { kind: 'no-database-columns', cause: 'Postgres 14.2 keeps them to itself' },
  'secrets-changed': { kind: 'secrets-changed', places: ['target.env.TOKEN'] },
  'guard-died': { kind: 'guard-died' },
  'clean-up-failed': { kind: 'clean-up-failed', cause: 'EBUSY' },
  housekeeping: {
    kind: 'housekeeping',
    settings: ['max_wal_size'],
    needs: [{ work: 'checkpoints', setting: 'checkpoint_timeout', leastSliceMs: 600_000 }],
  },
  'pool-is-dry': { kind: 'pool-is-dry', arm: 'pool=5', timeouts: 25, connections: 5, held: 0 },
  'few-rounds': { kind: 'few-rounds', rounds: 3, needed: 4, missingMs: 41_200 },
  'job-failed': { kind: 'job-failed', failure: 'the job of "a" ended with exit code 3. Its last lines:\nno space' },
  'loads-add-up': { kind: 'loads-add-up' },
};

describe('a warning', () => {
  it.each(Object.values(warnings))('is one line that names a flag, a key or a command: $kind', (warning) => {
    const line = warningLine(warning);
    expect(line).toMatch(/^warning: [^\n]+\.$/);
    // But for what begins with a name.
    expect(line).toMatch(/^warning: ([A-Z]|\/metrics never|pg_stat_database could|stack\.postgres\.cpus:)/);
    expect(line).toMatch(/--[a-z]|\bpgsweep [a-z]|\b(stack|target|dataset)\.[a-z]|\bprobes: |\bvariants or sweep\b/);
  });

  it('names what it is about', () => {
    expect(warningLine(warnings['probe-missed'])).toContain('processes missed something of service: process 7');
    expect(warningLine(warnings['identical-variants'])).toContain(
      'warning: The variants "A", "B" and "C" are identical',
    );
    expect(warningLine(warnings['cpusets-overlap'])).toContain('postgres (0-1) and opensearch (1) overlap');
    expect(warningLine(warnings['server-is-shared'])).toContain(
      'of 5 arms (120 MB) do not fit in shared_buffers (64 MB)',
    );
    expect(warningLine(warnings['pool-is-dry'])).toContain(
      'Requests of "pool=5" time out (25 so far) while all 5 connections of its service to Postgres are idle. ',
    );
    const dry = { ...warnings['pool-is-dry'], pooler: { mode: 'session', waiting: 15 } } as const;
    expect(warningLine(dry)).toContain(
      "time out (25 so far) while 15 clients wait for one of PgBouncer's 5 connections, which are all idle. In session mode each",
    );
    const held = { ...dry, connections: 1, held: 1, pooler: { mode: 'transaction', waiting: 1 } } as const;
    expect(warningLine(held)).toContain(
      "1 client waits for PgBouncer's one connection, which is idle (1 in a transaction). Look for transactions",
    );
    expect(warningLine({ kind: 'secrets-changed', places: null })).toContain('It is not known if secrets');
  });
});
