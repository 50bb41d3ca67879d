import { expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

type Values = Readonly<Record<string, number>>;

/** Four connections that always work, for which requests wait, on a machine with room. */
const taken: Values = {
  postgres_cpu_cores: 0.3,
  machine_cpu_share: 0.4,
  event_loop_active_seconds_per_s: 0.2,
  service_busiest_thread_cores: 0.2,
  pg_pool_max_mean: 4,
  pg_pool_acquire_per_s: 500,
  pg_pool_acquire_mean_ms: 30,
  busy_connections_mean: 4,
  busy_connections_p95: 4,
  idle_in_transaction_mean: 0.1,
  lock_wait_share: 0.02,
  io_wait_share: 0.02,
  lwlock_wait_share: 0.02,
};

/** What a run tells whose arms all saw these values, and these wait events. */
function told(changes: Values, options: FixtureOptions = {}) {
  const { findings, saturation } = summarize(
    fixtureJournal({ ...small, rounds: 4, probes: () => ({ 'wait-events': { ...taken, ...changes } }), ...options }),
  );
  return { findings: findings.map(({ name }) => name), uses: saturation[0]?.uses ?? [] };
}

test('a service that ends its reads with ROLLBACK has no failures', () => {
  const rolledBack = (errors: number): FixtureOptions => ({
    perRequest: () => ({ xact_commit: 0.5, xact_rollback: 0.5 }),
    probes: () => ({ 'postgres-log': { log_errors: errors } }),
  });
  // Of 2,400 requests a slice half end with ROLLBACK.
  expect(told({}, rolledBack(24)).findings).not.toContain('rollbacks-and-lock-failures');
  expect(told({}, rolledBack(480)).findings).toContain('rollbacks-and-lock-failures');
  expect(told({}, { ...rolledBack(0), probes: () => ({ p: { machine_cpu_share: 0.3 } }) }).findings).toContain(
    'rollbacks-and-lock-failures',
  );
});
