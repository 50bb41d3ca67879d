import { hasPostgres } from '../../../journal/link/own-database.ts';
import { countAll, type OutcomesRecord } from '../../../journal/outcomes.ts';
import type { ConditionsRecord } from '../../../journal/pass-records.ts';
import {
  type HousekeepingRecord,
  type HousekeepingWork,
  housekeepingVaried,
  housekeepingWork,
} from '../../../journal/postgres/housekeeping.ts';
import type { ProbeRecord } from '../../../journal/records.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import type { MeteredArm } from '../../probe/meter/turn-meter.ts';
import type { LoadTimes } from '../../probe/probe.ts';
import { pidsOf, urlsOf } from '../../target/target.ts';
import { nameOn } from '../servers/arm-databases.ts';
import { type LiveArm, type PassToMake, type RoundContext, type RoundProgress, timed } from './round-context.ts';
import { loadMsOf, type TurnTimes } from './take-turns.ts';

/** Observer of a pass under load. It hears which arm is under load. */
export interface PassObservation {
  readonly onTurn: (arm: number | null) => void;
  readonly edge: (ended: number | null, next: number | null) => Promise<void>;
  readonly addLoad: (arm: number, loadMs: number) => void;
  end(loads: readonly ObservedLoad[]): Promise<ObservedPass>;
}

/** The load of an arm: its turns, and what came of all its requests. */
export interface ObservedLoad {
  readonly times: readonly TurnTimes[];
  readonly whole: OutcomesRecord | undefined;
}

export interface ObservedPass {
  readonly conditions: ConditionsRecord;
  readonly probes: readonly ProbeRecord[];
  /** By arm; empty where it cannot be seen. */
  readonly work: readonly TurnWorkRecord[];
  /** By arm; empty where no variant sets what decides it. */
  readonly housekeeping: readonly (HousekeepingRecord | undefined)[];
}

/** Begins to watch a pass: what all arms do in their turns and between them, and what the machine does beside. */
export async function observePass(
  context: RoundContext,
  { round, arms, firstSlice }: PassToMake,
  progress: RoundProgress,
): Promise<PassObservation> {
  const { clock } = context.io;
  const { sampler, meter, probes, counters } = context.watch;
  const { databases, indices } = context.stack;
  const isOneProcess = areOneProcess(context.scenario);
  let underLoad: number | null = null;
  const probed = arms.map(({ arm, database, target, link }, index) => ({
    variant: arm.variant,
    arm: {
      round,
      slice: firstSlice + index,
      arm: arm.name,
      database: databases !== null && hasPostgres(arm.variant) ? database : null,
      ...urlsOf(target),
      pid: target.pid,
      ...(link?.pooler !== undefined && { pooler: link.pooler }),
      ...(target.processes !== undefined && { processes: target.processes }),
      ...(target.databasePort !== undefined && { databasePort: target.databasePort }),
      ...(indices !== null && { indexPrefix: indices.prefixOf(database) }),
      underLoad: () => underLoad === index,
    },
  }));
  const names = arms.map(({ database }) => database);
  const ownWork = <T>(endedAtMs: readonly number[], work: () => Promise<T>): Promise<T> =>
    counters === null ? work() : counters.ownWork(names, endedAtMs, work);
  const endProbes = await timed(clock, progress.phases, 'waitMs', () =>
    ownWork(progress.loadEndedAtMs === null ? [] : [progress.loadEndedAtMs], () =>
      Promise.all(probed.map(({ arm, variant }) => probes?.begin(arm, variant) ?? (async () => []))),
    ),
  );
  const conditions = await context.watch.conditions.begin(
    progress.arms.flatMap(({ target, link }) => [...pidsOf(target), ...(link?.pids ?? [])]),
  );
  const endHousekeeping = await ownWork([], () => watchHousekeeping(context, arms));
  const metered = arms.map(meteredArm(context));
  await meter?.begin(isOneProcess ? metered.map((arm) => ({ ...arm, shared: true })) : metered);
  const startMs = clock.nowMs();
  // Again in each pass: the time of day may be set during a run, and the clock does not follow.
  const originMs = Date.parse(clock.isoNow()) - startMs;
  /** A database that arms share is sampled under the name of the first of the plan. */
  const sampledAs = (arm: number): string => (isOneProcess ? progress.arms[0] : arms[arm])?.arm.name ?? '';
  return {
    onTurn(arm) {
      underLoad = arm;
      sampler?.mark(
        arm === null ? null : { slice: firstSlice + arm, arm: arms[arm]?.arm.name ?? '', sampledAs: sampledAs(arm) },
      );
    },
    edge: async (ended, next) => meter?.edge(ended, next),
    addLoad: (arm, loadMs) => sampler?.addLoad(sampledAs(arm), loadMs),
    async end(loads) {
      const passMs = clock.nowMs() - startMs;
      const work = (await meter?.end()) ?? [];
      const seen = await conditions.end();
      const endedAtMs = loads.flatMap(({ times }) => times.at(-1)?.toMs ?? []);
      const housekeeping = await ownWork(endedAtMs, endHousekeeping);
      const records = await timed(clock, progress.phases, 'waitMs', () =>
        ownWork(endedAtMs, () =>
          Promise.all(endProbes.map((end, index) => end(loadTimes(loads[index], { passMs, originMs }, work[index])))),
        ),
      );
      return { conditions: seen, probes: records.flat(), work, housekeeping };
    },
  };
}

/**
 * Counts Postgres's own work for each arm, where some variant sets what decides it: two transactions of the arm's database
 * a pass. What cannot be read is undefined: then nothing was seen.
 */
async function watchHousekeeping(
  { stack: { databases }, scenario: { variants } }: RoundContext,
  arms: readonly LiveArm[],
): Promise<() => Promise<(HousekeepingRecord | undefined)[]>> {
  if (databases === null || housekeepingVaried(variants).length === 0) return async () => [];
  const read = (): Promise<(HousekeepingRecord | null)[]> =>
    Promise.all(arms.map(({ database }) => databases.housekeeping(database).catch(() => null)));
  const before = await read();
  return async () => {
    const after = await read();
    return arms.map((_, index) => housekeepingSince(before[index] ?? null, after[index] ?? null));
  };
}

function housekeepingSince(
  before: HousekeepingRecord | null,
  after: HousekeepingRecord | null,
): HousekeepingRecord | undefined {
  if (before === null || after === null) return undefined;
  const entries = housekeepingWork.map((work) => [work, Math.max(0, after[work] - before[work])] as const);
  return Object.fromEntries(entries) as Record<HousekeepingWork, number>;
}

/** Where an arm's processes and its database are. */
export function meteredArm({ stack }: RoundContext): (alive: LiveArm) => MeteredArm {
  return ({ arm, database, target, link }) => {
    const postgres = hasPostgres(arm.variant) ? (stack.servers?.of(arm).postgres ?? null) : null;
    return {
      servicePids: pidsOf(target),
      ...(link !== null && link.pids.length > 0 && { linkPids: link.pids }),
      database: postgres === null ? null : nameOn(postgres, database),
      server: postgres,
    };
  };
}

/** Probes compare with the time of day, of their own samples and the server's. */
function loadTimes(
  load: ObservedLoad | undefined,
  { passMs, originMs }: { readonly passMs: number; readonly originMs: number },
  work?: TurnWorkRecord,
): LoadTimes {
  const { times: turns = [], whole } = load ?? {};
  return {
    ...(whole !== undefined && { requests: countAll({ statuses: whole.statuses, errors: 0, timeouts: 0 }) }),
    loadMs: loadMsOf(turns),
    passMs,
    walBytes: work?.walBytes ?? null,
    postgresCpuMs: work?.postgresCpuMs ?? null,
    turns: turns.map(({ fromMs, toMs }) => ({ fromMs: originMs + fromMs, toMs: originMs + toMs })),
  };
}
