import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { ConditionsRecord, DatabaseCounters, JournalRecord } from '../../src/journal/records.ts';
import { databaseColumns } from '../../src/journal/records.ts';
import type { ResolvedScenario } from '../../src/journal/scenario-record.ts';
import type { BulkJob, BulkResult, LoadJob, LoadResult } from '../../src/load/load-generator.ts';
import { armsOf } from '../../src/plan/arms.ts';
import { SETTLE_MS } from '../../src/plan/counter-waits.ts';
import type { Conditions } from '../../src/probe/conditions.ts';
import { createSliceCounters } from '../../src/probe/slice-counters.ts';
import type { RunEvent } from '../../src/run/events.ts';
import type { RoundContext } from '../../src/run/round-context.ts';
import { createSliceJudge } from '../../src/run/slice-judge.ts';
import { type FakeClock, fakeClock } from '../fixtures/fake-clock.ts';

/** How long the fakes take for things. */
export const COPY_MS = 100;
export const START_MS = 500;
const BULK_MS = 1000;
const BULK_DOCUMENTS = 100;

export interface FakeWorld {
  readonly context: RoundContext;
  readonly clock: FakeClock;
  /** What happened, in order: `copy r1_a0`, `start pool=10`, `load pool=10 25`, ... */
  readonly log: string[];
  readonly records: JournalRecord[];
  readonly events: RunEvent[];
  readonly running: Set<string>;
  readonly databases: Set<string>;
  /** Set to make something go wrong. */
  onLoad: (job: LoadJob, arm: string) => void;
  onStart: (arm: string) => void;
  /** What goes on beside the next slice, over a calm machine. */
  conditions: () => Partial<ConditionsRecord>;
  /** Ends a running service. */
  kill(arm: string): void;
  readonly abort: AbortController;
}

/** Everything that a round touches, without a process: 1,000 slices take milliseconds. */
export function fakeWorld(scenario: ResolvedScenario): FakeWorld {
  const clock = fakeClock();
  const log: string[] = [];
  const records: JournalRecord[] = [];
  const events: RunEvent[] = [];
  const running = new Set<string>();
  const databases = new Set<string>();
  const abort = new AbortController();
  const kills = new Map<string, (how: string) => void>();
  const urls = new Map<string, string>();
  // What a real server would have: counters appear only once an arm has idled or ended.
  const requests = new Map<string, number>();
  const databaseOf = new Map<string, string>();
  const counters = (database: string): DatabaseCounters =>
    Object.fromEntries(databaseColumns.map((name) => [name, requests.get(database) ?? 0])) as DatabaseCounters;

  const world: FakeWorld = {
    clock,
    log,
    records,
    events,
    running,
    databases,
    abort,
    onLoad: () => {},
    onStart: () => {},
    conditions: () => ({}),
    kill: (arm) => kills.get(arm)?.('exit code 9'),
    context: {
      scenario,
      arms: armsOf(scenario),
      seed: 1,
      folder: '/nowhere',
      // Never asked for anything: the fake target starts no process.
      reaper: {
        pid: 0,
        watch() {},
        forget() {},
        watchFolder() {},
        forgetFolder() {},
        watchCommand() {},
        forgetCommand() {},
        close: async () => {},
      },
      clock,
      journal: { append: (record) => records.push(record), close() {} },
      emit: (event) => events.push(event),
      signal: abort.signal,
      databases: {
        async open() {},
        async copy(name) {
          clock.advance(COPY_MS);
          log.push(`copy ${name}`);
          databases.add(name);
          return { url: `postgres://${name}`, treatment: [], ownServer: false };
        },
        async drop(name) {
          log.push(`drop ${name}`);
          databases.delete(name);
        },
        indexes: async () => [],
        async checkpoint() {
          log.push('checkpoint');
        },
        async tidy(name) {
          log.push(`tidy ${name}`);
        },
        async check(name) {
          log.push(`check ${name}`);
          return { missing: 0, unexpected: 0, doubled: 0, dangling: 0 };
        },
        async close() {},
      },
      indices: null,
      async startTarget({ variant, databaseUrl }) {
        const database = (databaseUrl ?? '').slice('postgres://'.length);
        // Both control arms have the same variant: the database tells them apart.
        const arm = armsOf(scenario)[Number(/_a(\d+)$/.exec(database)?.[1] ?? 0)]?.name ?? variant.name;
        world.onStart(arm);
        clock.advance(START_MS);
        log.push(`start ${arm}`);
        running.add(arm);
        const url = `http://${database}`;
        urls.set(url, arm);
        databaseOf.set(arm, database);
        const exited = new Promise<string>((resolve) => kills.set(arm, resolve));
        return {
          url,
          pid: 1,
          exited,
          tail: () => ['last words'],
          async stop() {
            log.push(`stop ${arm}`);
            running.delete(arm);
          },
        };
      },
      conditions: {
        async begin() {
          return { end: async () => ({ ...calm, ...world.conditions() }) };
        },
      },
      judge: createSliceJudge(scenario.load),
      repeatUntilMs: Number.MAX_SAFE_INTEGER,
      isWarm: () => false,
      load: {
        pid: 2,
        async run(job, options) {
          const arm = urls.get(job.url) ?? job.url;
          log.push(`load ${arm} ${job.load.connections} ${job.dropMs === 0 ? 'warmup' : 'slice'}`);
          world.onLoad(job, arm);
          // Lets a service that was killed be noticed, as a real load would.
          await new Promise((resolve) => setImmediate(resolve));
          options?.signal?.throwIfAborted();
          let loadMs = 0;
          const stepMs = job.batchMs ?? job.durationMs;
          while (loadMs < job.durationMs && !options?.finish?.aborted) {
            loadMs += stepMs;
            clock.advance(stepMs);
            options?.onBatch?.(job.load.connections);
          }
          const database = databaseOf.get(arm) ?? '';
          requests.set(database, (requests.get(database) ?? 0) + job.load.connections * loadMs);
          return { ...loadResult(job, clock), loadMs };
        },
        async bulk(job, options) {
          const arm = urls.get(job.url) ?? job.url;
          log.push(`bulk ${arm} ${job.spec.connections}`);
          await new Promise((resolve) => setImmediate(resolve));
          options?.signal?.throwIfAborted();
          clock.advance(BULK_MS);
          return bulkResult(job, clock);
        },
        async stop() {},
      },
      counters: createSliceCounters({
        reader: {
          async read(names) {
            return new Map(names.map((name) => [name, counters(name)]));
          },
          connectionCount: async () => 0,
          async close() {},
        },
        clock,
        settleMs: SETTLE_MS,
        write: (record) => records.push(record),
      }),
      sampler: null,
      probes: null,
    },
  };
  return world;
}

/** A machine that has nothing else to do. */
const calm: Conditions = {
  stealShare: 0,
  foreignCpuShare: 0,
  memoryPressureShare: 0,
  ioPressureShare: 0,
  tcpSegments: 10_000,
  tcpRetransmits: 0,
  listenOverflows: 0,
  checkpoints: 0,
  autovacuums: 0,
};

function loadResult(job: Pick<LoadJob, 'load' | 'durationMs' | 'dropMs'>, clock: FakeClock): LoadResult {
  const latency = createLatencyHistogram();
  // A closed loop: ten answers a connection, one after the other, fill the window.
  for (let i = 0; i < job.load.connections * 10; i++) latency.record(100 * (job.durationMs - job.dropMs));
  const record = latency.toRecord();
  const outcomes = { statuses: { '200': record.count }, errors: 0, timeouts: 0 };
  return {
    startedAt: clock.isoNow(),
    loadMs: job.durationMs,
    windowMs: job.durationMs - job.dropMs,
    outcomes,
    bytes: 1,
    latency: record,
    byRequest: {},
    whole: outcomes,
    generator: { eventLoopUtilisation: 0.5, cpuMs: 1 },
    perSecond: [record.count],
    connectionsOpened: job.load.connections,
    closingAnswers: 0,
  };
}

function bulkResult({ spec }: BulkJob, clock: FakeClock): BulkResult {
  const job = { load: spec, durationMs: BULK_MS, dropMs: 0 };
  const counts = { documents: BULK_DOCUMENTS, loaded: BULK_DOCUMENTS };
  return {
    ...loadResult(job, clock),
    bulk: { ...counts, repeats: 0, failed: {}, byResource: { schools: counts }, totalMs: BULK_MS },
  };
}
