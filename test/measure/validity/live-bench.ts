import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { PassRecord } from '../../../src/journal/pass-records.ts';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import type { ResolvedScenario, WorkloadSpec } from '../../../src/journal/scenario-record.ts';
import { openLink } from '../../../src/measure/link/open-link.ts';
import { switchService } from '../../../src/measure/live/switch-service.ts';
import { startLoadGenerator } from '../../../src/measure/load/generator-process.ts';
import type { LoadGenerator } from '../../../src/measure/load/load-generator.ts';
import { armsOf } from '../../../src/measure/plan/arms.ts';
import { createPlaces } from '../../../src/measure/plan/places.ts';
import { createConditionsProbe } from '../../../src/measure/probe/meter/conditions.ts';
import type { Housekeeping } from '../../../src/measure/probe/meter/postgres-housekeeping.ts';
import { createTurnMeter, type TurnMeter } from '../../../src/measure/probe/meter/turn-meter.ts';
import { openLevels } from '../../../src/measure/run/levels/level-source.ts';
import type { RoundContext, RoundIo } from '../../../src/measure/run/round/round-context.ts';
import { runRound } from '../../../src/measure/run/round/run-round.ts';
import { createTurnSchedule } from '../../../src/measure/run/round/turn-schedule.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

export interface LiveBench {
  /** Everything that a round touches, all of it real but the database, which the planted service has none of. */
  context(scenario: ResolvedScenario, housekeeping?: Housekeeping): Promise<RoundContext>;
  /** One slice of the planted service in a pass of its own, and what is done beside it. */
  slice(wanted: WantedSlice): Promise<OneSlice>;
  readonly records: JournalRecord[];
}

export interface OneSlice {
  readonly slice: SliceRecord;
  readonly pass: PassRecord;
}

export interface WantedSlice {
  readonly env?: Readonly<Record<string, string>>;
  readonly workload?: WorkloadSpec;
  readonly timeoutMs?: number;
  /** In YAML; 3 s where nothing is said. */
  readonly length?: string;
  /** `off`, or in YAML how long a turn is: half a second where nothing is said, so that latency decides nothing. */
  readonly turn?: string;
  readonly housekeeping?: Housekeeping;
  /** Is called once load is on. */
  readonly beside?: () => void;
}

/** A scenario for the planted service, with one variant besides the control. */
export function plantedScenario(env: Readonly<Record<string, string>>, load: string): ResolvedScenario {
  return parseScenario(
    `title: planted
target: { command: ${JSON.stringify(`exec node ${resolve('test/fixtures/services/planted.mjs')}`)} }
variants: { Control: {}, Variant: { env: ${JSON.stringify(env)} } }
control: Control
load: { ${load}, requests: [{ path: / }] }
`,
    'planted.yaml',
  );
}

/** One bench for all tests of a file. */
export function withBench(): LiveBench {
  let reaper: Reaper;
  let folder: string;
  let generator: LoadGenerator | null = null;
  let meter: TurnMeter | null = null;
  const records: JournalRecord[] = [];
  beforeAll(() => {
    reaper = startReaper();
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-live-'));
  });
  afterEach(async () => {
    await generator?.stop();
    generator = null;
    await meter?.release();
    meter = null;
    records.length = 0;
  });
  afterAll(async () => {
    await reaper.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const context: LiveBench['context'] = async (scenario, housekeeping) => {
    generator ??= await startLoadGenerator({ workload: scenario.load.workload, documents: [] }, reaper);
    meter ??= createTurnMeter();
    return {
      scenario,
      arms: armsOf(scenario),
      places: createPlaces(1),
      seed: 1,
      stack: {
        reaper,
        databases: null,
        servers: null,
        indices: null,
        openLink,
        startTarget: (options) => startTarget({ ...options, logFile: join(folder, 'service.log') }),
        switchService,
      },
      load: {
        generator,
        levels: openLevels(scenario.load),
        schedule: createTurnSchedule(scenario, armsOf(scenario).length),
        jobMs: new Map(),
      },
      watch: {
        conditions: createConditionsProbe({
          trees: () => (generator === null ? [reaper.pid] : [reaper.pid, generator.pid]),
          knowsService: true,
          housekeeping: housekeeping ?? null,
        }),
        counters: null,
        countersReader: null,
        meter,
        sampler: null,
        probes: null,
        idleCpuShares: new Map(),
        coldCpuShares: new Map(),
        laterArms: new Set(),
        reach: null,
        dryArms: new Set(),
      },
      io: {
        folder,
        clock: systemClock,
        journal: { append: (record) => records.push(record), close() {} },
        emit: () => {},
        signal: new AbortController().signal,
      },
    };
  };
  return {
    records,
    context,
    async slice({ env = {}, workload, timeoutMs, length = '3s', turn = '500ms', housekeeping, beside }) {
      const plain = plantedScenario(env, `connections: 5, slice: ${length}, turn: ${turn}, drop: 100ms, warmup: 300ms`);
      const changes = { ...(workload && { workload }), ...(timeoutMs !== undefined && { timeoutMs }) };
      const scenario = { ...plain, load: { ...plain.load, ...changes } };
      // Without a meter, which would first watch for three seconds what the service does by itself.
      const whole = await context(scenario, housekeeping);
      const watch = { ...whole.watch, meter: null };
      const only = whole.arms.filter(({ variant }) => variant.name === 'Variant');
      const emit: RoundIo['emit'] = ({ kind }) => {
        if (kind === 'pass-started') setTimeout(() => beside?.(), 300);
      };
      await runRound({ ...whole, arms: only, watch, io: { ...whole.io, emit } }, 1);
      const slice = records.find((record): record is SliceRecord => record.type === 'slice');
      const pass = records.findLast((record): record is PassRecord => record.type === 'pass');
      if (slice === undefined || pass === undefined) throw new Error('no slice was measured');
      return { slice, pass };
    },
  };
}
