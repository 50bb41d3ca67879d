import type { LiveSwitch } from '../../../src/journal/live-switch.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import type { ConditionsRecord } from '../../../src/journal/pass-records.ts';
import type { HousekeepingRecord } from '../../../src/journal/postgres/housekeeping.ts';
import type { DatabaseCounters, JournalRecord, LatencyRecord, OutcomesRecord } from '../../../src/journal/records.ts';
import { databaseColumns } from '../../../src/journal/records.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import type { TurnWorkRecord } from '../../../src/journal/slice-record.ts';
import type {
  BulkJob,
  BulkResult,
  LoadJob,
  LoadResult,
  LoadStream,
  TurnResult,
} from '../../../src/measure/load/load-generator.ts';
import { armsOf, plannedArms } from '../../../src/measure/plan/arms.ts';
import { createPlaces } from '../../../src/measure/plan/places.ts';
import { planRest } from '../../../src/measure/plan/run-plan.ts';
import { type CountersReader, SETTLE_MS } from '../../../src/measure/probe/meter/database-counters.ts';
import { createSliceCounters } from '../../../src/measure/probe/meter/slice-counters.ts';
import type { RunEvent } from '../../../src/measure/run/events.ts';
import { openLevels } from '../../../src/measure/run/levels/level-source.ts';
import type { RoundContext } from '../../../src/measure/run/round/round-context.ts';
import { createTurnSchedule } from '../../../src/measure/run/round/turn-schedule.ts';
import type { SweepContext } from '../../../src/measure/run/run-sweep.ts';
import { type FakeClock, fakeClock } from '../../fixtures/fake-clock.ts';
import { fakeTurnMeter } from '../probe/meter/fake-turn-meter.ts';

/** How long the fakes take for things. */
export const COPY_MS = 100;
export const START_MS = 500;
export const SWITCH_MS = 20;
/** The mean latency is that of this many requests a second over all connections. */
export const RATE = 2500;
const BULK_MS = 1000;
const BULK_DOCUMENTS = 100;

export interface FakeWorld {
  readonly context: RoundContext & Pick<SweepContext, 'plan'>;
  readonly clock: FakeClock;
  /** What happened, in order: `copy r1_a0`, `start pool=10`, `load pool=10 25`, ... */
  readonly log: string[];
  readonly records: JournalRecord[];
  readonly events: RunEvent[];
  readonly running: Set<string>;
  readonly databases: Set<string>;
  /** Set to make something go wrong. */
  onLoad: (job: LoadJob, arm: string) => void;
  /** What an arm does in its turns and between them. */
  work: (arm: number) => Partial<TurnWorkRecord>;
  /** How long connections idle at the end of a turn of an arm's bulk load. */
  bulkIdleMs: (arm: string) => number;
  onStart: (arm: string) => void;
  onSwitch: (live: LiveSwitch) => void;
  /** How fast an arm is that has served this many requests of the level's workload, as a share of `RATE`. */
  speed: (arm: string, served: number) => number;
  /** Whether an arm's service does not listen to SIGTERM. */
  deaf: (arm: string) => boolean;
  /** How many of an arm's requests of a turn fail, and how. */
  failing: (arm: string, requests: number) => OutcomesRecord;
  /** How late the load generator sends every request, in microseconds. */
  sendLagUs: number;
  /** How busy its event loop is, 0 to 1. */
  eventLoopUtilisation: number;
  /** What goes on beside the next pass, over a calm machine. */
  conditions: () => Partial<ConditionsRecord>;
  /** True if a session of the arm that was not used for this long may hold its work back. */
  holdsBack: (arm: string, unusedMs: number) => boolean;
  /** How long the load generator is stopped in a turn of this arm. */
  pause: (arm: string, job: LoadJob) => number;
  /** True once the time of day of the database server was set. */
  clockSet: boolean;
  /** Postgres's own work so far, of any arm. */
  housekeeping: () => HousekeepingRecord;
  /** Ends a running service. */
  kill(arm: string): void;
  readonly abort: AbortController;
}

/** What a log is about, in order, each kind of step once: a service starts while the next copy is made. */
export function stepsOf(log: readonly string[]): string[] {
  const steps = log
    .map((line) => line.split(' ')[0] ?? '')
    .map((verb) => verb.replace(/^(copy|start)$/, 'copy and start'));
  return steps.filter((step, index) => step !== steps[index - 1]);
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
  /** By arm, database and workload. */
  const served = new Map<string, number>();
  const databaseOf = new Map<string, string>();
  const armOf = (database: string): string => [...databaseOf].find(([, its]) => its === database)?.[0] ?? database;
  const counters = (database: string): DatabaseCounters =>
    Object.fromEntries(databaseColumns.map((name) => [name, requests.get(database) ?? 0])) as DatabaseCounters;
  const reader: CountersReader = {
    async read(names) {
      return new Map(names.filter((name) => databases.has(name)).map((name) => [name, counters(name)]));
    },
    connectionCount: async () => 0,
    holdingBack: async (names, unusedMs) => new Set(names.filter((name) => world.holdsBack(armOf(name), unusedMs))),
    clockSet: async (names) => new Set(world.clockSet ? names : []),
    async close() {},
  };

  const stream = (job: LoadJob): LoadStream => {
    const arm = urls.get(job.url) ?? job.url;
    const database = databaseOf.get(arm) ?? '';
    const sums = { windowMs: 0, loadMs: 0, ok: 0 };
    let stoppedMs = 0;
    return {
      async turn({ durationMs, fromMs, toMs }, options): Promise<TurnResult> {
        log.push(`load ${arm} ${loadSize(job.load)} ${Math.round(durationMs)}`);
        world.onLoad(job, arm);
        // Lets a service that was killed be noticed, as a real load would.
        await new Promise((resolve) => setImmediate(resolve));
        options?.signal?.throwIfAborted();
        const pausedMs = world.pause(arm, job);
        clock.advance(durationMs + pausedMs);
        stoppedMs += pausedMs;
        if (pausedMs > 0) return stoppedTurn(durationMs, pausedMs);
        const ofWorkload = `${arm} ${database} ${job.load.workload ?? ''}`;
        const rate = RATE * world.speed(arm, served.get(ofWorkload) ?? 0);
        const [ok, all] = [toMs - fromMs, durationMs].map((ms) => Math.round((rate * ms) / 1000)) as [number, number];
        sums.windowMs += toMs - fromMs;
        sums.loadMs += durationMs;
        sums.ok += ok;
        served.set(ofWorkload, (served.get(ofWorkload) ?? 0) + all);
        requests.set(database, (requests.get(database) ?? 0) + all);
        const latencyUs = (1e6 * loadSize(job.load)) / rate;
        const failed = world.failing(arm, all);
        const fails = countAll(failed);
        return {
          wallMs: durationMs,
          ok: fails === 0 ? ok : 0,
          okByTime: fails === 0 ? ok : 0,
          ...('connections' in job.load && { busyMs: job.load.connections * (toMs - fromMs) }),
          latencyUs: fails === all ? null : latencyUs,
          whole: { ...failed, statuses: { ...(fails < all && { '200': all - fails }), ...failed.statuses } },
          wholeOk: all - fails,
          ...(fails > 0 && { failure: { status: 500, text: 'no such table' } }),
        };
      },
      close: async () => ({
        ...loadResult(loadSize(job.load), sums, clock),
        ...(stoppedMs > 0 && { latency: latencyOf(1000 * stoppedMs, sums.ok) }),
        generator: {
          eventLoopUtilisation: world.eventLoopUtilisation,
          cpuMs: 1,
          ...(stoppedMs > 0 && { pausedMs: stoppedMs }),
        },
        ...(world.sendLagUs > 0 && { sendLag: latencyOf(world.sendLagUs, sums.ok) }),
      }),
    };
  };

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
    onSwitch: () => {},
    speed: () => 1,
    deaf: () => false,
    pause: () => 0,
    failing: () => ({ statuses: {}, errors: 0, timeouts: 0 }),
    sendLagUs: 0,
    eventLoopUtilisation: 0.5,
    work: () => ({}),
    bulkIdleMs: () => 0,
    conditions: () => ({}),
    holdsBack: () => false,
    clockSet: false,
    housekeeping: () => ({ checkpoints: 0, autovacuums: 0, autoanalyzes: 0 }),
    kill: (arm) => kills.get(arm)?.('exit code 9'),
    context: {
      plan: planRest(scenario),
      scenario,
      arms: armsOf(scenario),
      places: createPlaces(1),
      seed: 1,
      stack: {
        // Never asked for anything: the fake target starts no process.
        reaper: {
          pid: 0,
          watch() {},
          forget() {},
          watchFolder() {},
          forgetFolder() {},
          watchCommand() {},
          mark: {},
          watchMemory() {},
          forgetCommand() {},
          close: async () => {},
        },
        databases: {
          async open() {},
          async copy(name) {
            clock.advance(COPY_MS);
            log.push(`copy ${name}`);
            databases.add(name);
            return { url: `postgres://${name}`, treatment: [] };
          },
          async switch(name) {
            log.push(`switch ${name}`);
            return [];
          },
          async drop(name) {
            log.push(`drop ${name}`);
            databases.delete(name);
          },
          use: async () => null,
          indexes: async () => [],
          async checkpoint() {
            log.push('checkpoint');
            return 1;
          },
          crowding: async () => null,
          housekeeping: async () => world.housekeeping(),
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
        async openLink({ databaseUrl }) {
          return { url: databaseUrl, pids: [], verify: async () => ({}), close: async () => {} };
        },
        async startTarget({ variant, databaseUrl, armName = '' }) {
          const database = databaseUrl === null ? armName : databaseUrl.slice('postgres://'.length);
          // Both control arms have the same variant: their own name tells them apart.
          const planned = plannedArms(scenario)[Number(/_a(\d+)$/.exec(armName)?.[1] ?? 0)];
          const arm = planned?.variant.name === variant.name ? planned.name : variant.name;
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
              return { killedAfterMs: world.deaf(arm) ? 5000 : null };
            },
          };
        },
        async switchService(_, live) {
          world.onSwitch(live);
          clock.advance(SWITCH_MS);
          for (const { path, body } of live.requests) log.push(`request ${path} ${JSON.stringify(body)}`);
        },
        servers: null,
      },
      load: {
        levels: openLevels(scenario.load),
        generator: {
          pid: 2,
          async open(job) {
            return stream(job);
          },
          async openBulk(job) {
            const arm = urls.get(job.url) ?? job.url;
            let leftMs = BULK_MS;
            return {
              async turn(durationMs, options) {
                log.push(`bulk ${arm} ${job.spec.connections}`);
                await new Promise((resolve) => setImmediate(resolve));
                options?.signal?.throwIfAborted();
                const wallMs = Math.min(durationMs, leftMs);
                clock.advance(wallMs);
                leftMs -= wallMs;
                return { wallMs, idleMs: leftMs === 0 ? 0 : world.bulkIdleMs(arm), done: leftMs === 0 };
              },
              close: async () => bulkResult(job, clock),
            };
          },
          async stop() {},
        },
        schedule: createTurnSchedule(scenario, plannedArms(scenario).length),
        jobMs: new Map(),
      },
      watch: {
        conditions: {
          async begin() {
            return { end: async () => ({ ...calm, ...world.conditions() }) };
          },
        },
        countersReader: reader,
        meter: fakeTurnMeter((_, index) => ({ ...calmWork, ...world.work(index) })),
        counters: createSliceCounters({
          reader,
          has: (name) => databases.has(name),
          clock,
          settleMs: SETTLE_MS,
          write: (record) => records.push(record),
        }),
        sampler: null,
        probes: null,
        idleCpuShares: new Map(),
        coldCpuShares: new Map(),
        laterArms: new Set(),
        reach: null,
        dryArms: new Set(),
      },
      io: {
        folder: '/nowhere',
        clock,
        journal: { append: (record) => records.push(record), close() {} },
        emit: (event) => events.push(event),
        signal: abort.signal,
      },
    },
  };
  return world;
}

/** A machine that has nothing else to do. */
const calm: ConditionsRecord = {
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

/** What a calm arm does. */
const calmWork: TurnWorkRecord = {
  serviceCpuMs: 1000,
  postgresCpuMs: 1000,
  idleCpuMs: 1,
  idleMs: 10_000,
  walBytes: 1e6,
  tcpSegments: 1000,
  tcpRetransmits: 0,
  listenOverflows: 0,
};

function bulkResult({ spec }: BulkJob, clock: FakeClock): BulkResult {
  const counts = { documents: BULK_DOCUMENTS, loaded: BULK_DOCUMENTS };
  const sums = { windowMs: BULK_MS, loadMs: BULK_MS, ok: BULK_DOCUMENTS };
  return {
    ...loadResult(spec.connections, sums, clock),
    bulk: { ...counts, repeats: 0, failed: {}, byResource: { schools: counts }, totalMs: BULK_MS },
  };
}

interface Sums {
  readonly windowMs: number;
  readonly loadMs: number;
  readonly ok: number;
}

/** This many that all took the same. */
function latencyOf(us: number, count: number): LatencyRecord {
  return { count, meanUs: us, p50Us: us, p95Us: us, p99Us: us, maxUs: us, histogram: '' };
}

/** A closed loop that is always busy: so many answers, each with the latency that Little's law gives it. */
/** A turn that ends when the load generator, which was stopped, is continued: nothing was answered. */
function stoppedTurn(durationMs: number, pausedMs: number): TurnResult {
  const whole = { statuses: {}, errors: 0, timeouts: 0 };
  return { wallMs: durationMs + pausedMs, ok: 0, okByTime: 0, latencyUs: null, whole, wholeOk: 0, pausedMs };
}

function loadResult(connections: number, { windowMs, loadMs, ok }: Sums, clock: FakeClock): LoadResult {
  const us = (1000 * windowMs * connections) / ok;
  const latency = latencyOf(us, ok);
  const outcomes = { statuses: { '200': ok }, errors: 0, timeouts: 0 };
  return {
    startedAt: clock.isoNow(),
    loadMs,
    windowMs,
    busyMs: windowMs * connections,
    outcomes,
    bytes: 1,
    latency,
    byRequest: {},
    whole: outcomes,
    generator: { eventLoopUtilisation: 0.5, cpuMs: 1 },
    connectionsOpened: connections,
    reopened: 0,
    closingAnswers: 0,
  };
}
