import { readFileSync } from 'node:fs';
import type { JournalRecord, ProbeRecord, RunRecord } from '../../src/journal/records.ts';
import type { Variant } from '../../src/journal/scenario-record.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

/** The records of a run in which every name and text that somebody can choose is `name(i)` for some i. */
export interface NamedRun {
  readonly run: RunRecord;
  readonly records: readonly JournalRecord[];
}

/** How many names a run has. */
export const NAMES = 44;
/** Of those, the variants; the first is the control. */
const VARIANTS = [1, 2, 3, 4];
const CONTROL = 1;
const TRIPS = { trips: 40, p50Us: 100, p99Us: 200 };
const POOLER = { version: '1.18.0', asked: { kind: 'pgbouncer', mode: 'session', size: 5, settings: {} } } as const;

/** A harmless name, which stands for one of somebody else's. */
const plainName = (index: number): string => `name${String(index).padStart(2, '0')}`;
const n = plainName;

/** What probes saw in a real run, where they tell more than values; of these a few, since each is compared at length. */
const seen = readFileSync(new URL('../fixtures/probe-records.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): ProbeRecord => JSON.parse(line))
  .filter(({ rows = [] }) => rows.length > 0)
  .map((record) => ({ ...record, values: Object.fromEntries(Object.entries(record.values).slice(0, 2)) }));

/** A run with plain names, with something of everything that names stand in. */
function plainRun(): NamedRun {
  const variants = VARIANTS.map(n);
  const { run, records } = fixtureJournal({
    title: n(0),
    variants,
    control: n(CONTROL),
    connections: [1, 25],
    rounds: 4,
    requestsPerSecond: 12,
    probes: () => ({
      ...Object.fromEntries(seen.map(({ probe, values }) => [probe, values])),
      [n(5)]: { [n(6)]: 1, [`${n(7)}_ms`]: 2 },
      [n(8)]: { [n(9)]: 3 },
    }),
    probeRows: () => ({
      ...Object.fromEntries(seen.map(({ probe, rows = [] }) => [probe, rows.map(withNames)])),
      [n(5)]: [{ [n(10)]: n(11), text: n(12) }],
      [n(8)]: [{ [n(13)]: 1 }],
    }),
    failures: () => ({ statuses: { [n(14)]: 1, 500: 1 } }),
    work: () => ({ serviceCpuMs: 1, postgresCpuMs: 2, walBytes: 300 }),
  });
  const scenario = {
    ...run.scenario,
    name: n(15),
    file: `/${n(16)}.yaml`,
    variants: run.scenario.variants.map((variant, index) => (index === 0 ? variant : withTreatment(variant))),
    load: { ...run.scenario.load, workload: workload() },
  };
  const { provenance } = run;
  return {
    run: {
      ...run,
      withoutCounters: n(42),
      scenario,
      provenance: {
        ...provenance,
        gitCommit: n(17),
        cpuModel: n(18),
        kernel: n(19),
        stackReason: n(20),
        stackNote: n(21),
        distanceBy: 'proxy',
        distanceReason: n(20),
        postgresVersion: n(22),
        postgresBinaries: n(23),
        postgresSettings: { [n(24)]: n(25) },
        dataset: provenance.dataset && { ...provenance.dataset, name: n(26), byResource: { [n(27)]: 1 } },
      },
    },
    records: records.flatMap(withBesides),
  };
}

/** Statements, events, tables and messages of a real run under names of somebody else. */
function withNames(row: NonNullable<ProbeRecord['rows']>[number]): NonNullable<ProbeRecord['rows']>[number] {
  const texts: Readonly<Record<string, string>> = {
    statement: n(28),
    event: n(29),
    table: n(30),
    index: n(31),
    message: n(32),
    shape: n(33),
  };
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'string' ? (texts[key] ?? value) : value]),
  );
}

function withTreatment(variant: Variant): Variant {
  return {
    ...variant,
    env: { [n(34)]: n(35) },
    treatment: {
      settings: { [n(24)]: n(25) },
      dropIndex: [n(31)],
      createIndex: [`CREATE INDEX ${n(36)} ON ${n(30)} (id)`],
      hideIndex: [n(37)],
      sql: [{ apply: n(28) }],
    },
  };
}

function workload(): RunRecord['scenario']['load']['workload'] {
  const request = { method: 'GET', headers: {}, weight: 1 };
  return {
    kind: 'requests',
    requests: [
      { ...request, name: n(38), path: `/${n(39)}` },
      { ...request, name: n(39), path: '/' },
    ],
  };
}

/** At the start of a round its arms and their indexes; each slice with what its requests had. */
function withBesides(record: JournalRecord): JournalRecord[] {
  if (record.type === 'slice') {
    const { outcomes, latency } = record;
    return [
      {
        ...record,
        byRequest: { [n(38)]: { outcomes, latency }, [n(39)]: { outcomes, latency } },
      },
    ];
  }
  if (record.type !== 'round') return [record];
  const { round } = record;
  return [
    ...VARIANTS.flatMap((index): JournalRecord[] => {
      const arm = { round, arm: n(index), variant: n(index) };
      const use = { table: n(30), bytes: 8192, scans: 3 };
      const indexes = [n(31), n(37), ...(index === CONTROL ? [] : [n(36)])].map((name) => ({ ...use, name }));
      return [
        {
          type: 'arm',
          ...arm,
          repeat: false,
          copyMs: 1,
          startMs: 1,
          treatment: [{ kind: 'dropIndex', name: n(31), found: n(32) }],
        },
        { type: 'indexes', round, arm: n(index), indexes },
        { type: 'killed', ...arm, afterMs: 5 },
        { type: 'link', ...arm, distance: { asked: { rttMs: 1 }, direct: TRIPS, distant: TRIPS }, pooler: POOLER },
      ];
    }),
    uncounted(round),
    { type: 'probes', present: [n(5)], absent: [{ name: n(8), absent: n(33) }] },
    record,
  ];
}

function uncounted(round: number): JournalRecord {
  const outcomes = { statuses: { [n(41)]: 3, 200: 7 }, errors: 0, timeouts: 0 };
  return {
    type: 'uncounted',
    round,
    arm: n(2),
    load: { connections: 25 },
    purpose: 'trial',
    durationMs: 9,
    outcomes,
    ok: 7,
  };
}

const plain = plainRun();

/** The run with names in place of the plain ones; with the plain ones where none are given. */
export function runNamed(names: readonly string[] = []): NamedRun {
  return renamed(plain, names);
}

/** A value with names in place of the plain ones, in texts and keys. */
export function renamed<T>(value: T, names: readonly string[]): T {
  const text = JSON.stringify(value).replace(/name(\d\d)/g, (name, index: string) =>
    JSON.stringify(names[Number(index)] ?? name).slice(1, -1),
  );
  return JSON.parse(text) as T;
}
