import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { probeTables } from '../../../src/report/tables/probe-tables.ts';
import type { Table } from '../../../src/report/tables/table.ts';
import { type FixtureCell, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

/** As much to Postgres by both, a third more by b; connections to `mail:25` that b closes. */
const probes = ({ variant, round }: FixtureCell) => {
  const more = variant === 'b' ? 1.3 : 1;
  return {
    processes: {
      service_cpu_cores: 0.9,
      service_cpu_user_cores: 0.7,
      service_cpu_system_cores: 0.2,
      'service_cpu_cores{process="api"}': 0.6,
      'service_memory_max_bytes{process="api"}': 5e7,
      'service_cpu_cores{process="0"}': 0.3,
      'service_voluntary_switches_per_s{process="0"}': 30,
    },
    'backend-bytes': {
      'backend_sent_bytes_per_request{from="api",to="postgres"}': more * (500 + (round % 2)),
      'backend_received_bytes_per_request{from="api",to="postgres"}': 2000,
      'backend_connections_closed{from="api",to="postgres"}': 0,
      'backend_connections_closed{from="api",to="127.0.0.1:25"}': variant === 'b' ? 3 : 0,
    },
  };
};

const summary = summarize(fixtureJournal({ ...small, probes }));
const [load] = summary.run.loads;
const tables = load === undefined ? [] : probeTables(summary, load);

function rowsOf(title: string): string[][] {
  const table: Table | undefined = tables.find((one) => one.title.startsWith(title));
  return table?.rows.map((row) => row.map(({ text }) => text)) ?? [];
}

describe('what probes saw of each process', () => {
  it('stands in a table of its own, by the names of the processes', () => {
    expect(rowsOf('Processes of the service, averages').map((row) => row.slice(0, 2))).toEqual([
      ['api: CPU, cores', '0.6'],
      ['api: memory, most, bytes', '50,000,000'],
      ['instance 0: CPU, cores', '0.3'],
    ]);
    const others = rowsOf('Probes, averages').map(([name]) => name);
    expect(others).toContain('service_cpu_user_cores');
    expect(others.filter((name) => name?.includes('service_cpu_cores{'))).toEqual([]);
    expect(others).toContain('service_voluntary_switches_per_s{process="0"}');
  });

  it('is not there where the service is one', () => {
    const one = summarize(fixtureJournal({ ...small, probes: () => ({ processes: { service_cpu_cores: 0.5 } }) }));
    const titles = load === undefined ? [] : probeTables(one, load).map(({ title }) => title);
    expect(titles[0]).toBe('Probes, averages');
  });
});

describe('metrics that the scenario names', () => {
  /** Twenty values that differ more than these. */
  const among = ({ variant, round }: FixtureCell) => ({
    processes: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`value_${at}`, (variant === 'b' ? 3 : 1) * (100 + (round % 2))]),
    ),
    'service-metrics': { notifications_per_s: 12, queue_wait_p99_ms: 3, other_per_s: 1 },
    opensearch: { opensearch_query_ops_per_request: 2, opensearch_index_ops_per_request: 0.5, opensearch_query_ops: 9 },
  });
  const plain = fixtureJournal({ ...small, probes: among });
  const { scenario } = plain.run;
  const metrics = { path: '/metrics', include: ['notifications_total', 'queue_wait_seconds'] };
  const journal = {
    ...plain,
    run: { ...plain.run, scenario: { ...scenario, target: { ...scenario.target, metrics } } },
  };
  const named = summarize(journal);
  const found = load === undefined ? [] : probeTables(named, load);
  const namesIn = (title: string) => found.find((one) => one.title === title)?.rows.map(([name]) => name?.text);

  it('stand in their own table, whatever differs most', () => {
    expect(named.run.metrics).toEqual(metrics.include);
    expect(namesIn('Metrics that the scenario names, averages')).toEqual(['notifications_per_s', 'queue_wait_p99_ms']);
    expect(namesIn('Metrics that the scenario names, change against a')).toHaveLength(2);
    const others = namesIn('Probes, averages') ?? [];
    expect(others).toContain('value_3');
    expect(others).not.toContain('notifications_per_s');
  });

  it('stand there without a value, too, if the service never showed them', () => {
    const other = { ...metrics, include: ['notifications_total', 'queue_wiat_seconds'] };
    const target = { ...journal.run.scenario.target, metrics: other };
    const run = { ...journal.run, scenario: { ...journal.run.scenario, target } };
    const tables = load === undefined ? [] : probeTables(summarize({ ...journal, run }), load);
    const [averages, changes] = tables.filter(({ title }) => title.startsWith('Metrics that the scenario names'));
    expect(averages?.rows.map((row) => row.slice(0, 2).map(({ text }) => text))).toEqual([
      ['notifications_per_s', '12.00'],
      ['queue_wiat_seconds', 'n/a'],
    ]);
    expect(changes?.notes).toEqual(['No value in any slice: queue_wiat_seconds (target.metrics.include).']);
  });

  it('and so does the work of OpenSearch for a request', () => {
    expect(namesIn('OpenSearch, a request, averages')).toEqual([
      'opensearch_query_ops_per_request',
      'opensearch_index_ops_per_request',
    ]);
  });

  it('are not in the summary where the scenario names none', () => {
    expect(summarize(plain).run.metrics).toBeUndefined();
    expect(summary.run.metrics).toBeUndefined();
  });
});

describe('what went between the service and its backends', () => {
  it('is told by backend, with its change', () => {
    expect(rowsOf('Bytes a request, between the service and its backends, averages')).toEqual([
      ['api to postgres', expect.any(String), expect.any(String), expect.any(String)],
      ['postgres to api', '2,000', '2,000', '2,000'],
    ]);
    const [[, change] = []] = rowsOf('Bytes a request, between the service and its backends, change');
    expect(change).toMatch(/^\+30\.0 % \[.*\] higher$/);
  });

  it('says why an arm has no number where others have one', () => {
    const lacking = ({ variant, ...cell }: FixtureCell) =>
      variant === 'b' ? { processes: { service_cpu_cores: 0.5 } } : probes({ variant, ...cell });
    const some = summarize(fixtureJournal({ ...small, probes: lacking }));
    const notes = load === undefined ? [] : probeTables(some, load).flatMap((table) => table.notes);
    expect(notes).toContain(
      'n/a: no such connection was open at the end of a pass, for example if each request opens its own.',
    );
    expect(tables.flatMap((table) => table.notes).filter((note) => note.startsWith('n/a'))).toEqual([]);
  });

  it('has a note of connections whose bytes are not known, with the arms that have them', () => {
    const notes = tables.flatMap((table) => table.notes).filter((note) => note.includes('were closed'));
    expect(notes).toEqual([
      'Connections from api to 127.0.0.1:25 were closed while pgsweep watched them, so their traffic is missing. Seen per slice, on average: b 3.00.',
    ]);
  });
});
