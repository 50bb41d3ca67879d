import { hasPostgres } from '../../journal/link/own-database.ts';
import type { ConditionsRecord, TurnWorkRecord } from '../../journal/pass-records.ts';
import type { ProbeRecord } from '../../journal/records.ts';
import { isSwitchedLive } from '../../plan/live-blocks.ts';
import type { MeteredArm } from '../../probe/meter/turn-meter.ts';
import type { LoadTimes } from '../../probe/probe.ts';
import { nameOn } from '../servers/arm-databases.ts';
import { type LiveArm, type RoundContext, type RoundProgress, timed } from './round-context.ts';
import { loadMsOf, type TurnTimes } from './take-turns.ts';

/** What is watched of a pass: its load goes on, and this hears who is under load. */
export interface PassObservation {
  readonly onTurn: (arm: number | null) => void;
  readonly edge: (ended: number | null, next: number | null) => Promise<void>;
  readonly addLoad: (arm: number, loadMs: number) => void;
  /** Given the turns of each arm. */
  end(times: readonly (readonly TurnTimes[])[]): Promise<ObservedPass>;
}

export interface ObservedPass {
  readonly conditions: ConditionsRecord;
  readonly probes: readonly ProbeRecord[];
  /** By arm; empty where it cannot be seen. */
  readonly work: readonly TurnWorkRecord[];
}

interface ObservedArms {
  readonly round: number;
  readonly arms: readonly LiveArm[];
  readonly firstSlice: number;
}

/** Begins to watch a pass: what all arms do in their turns and between them, and what the machine does beside. */
export async function observePass(
  context: RoundContext,
  { round, arms, firstSlice }: ObservedArms,
  progress: RoundProgress,
): Promise<PassObservation> {
  const { clock, sampler, meter, probes, indices } = context;
  const isLive = isSwitchedLive(context.scenario);
  let underLoad: number | null = null;
  const probed = arms.map(({ arm, database, target }, index) => ({
    variant: arm.variant,
    arm: {
      round,
      slice: firstSlice + index,
      arm: arm.name,
      database: context.databases !== null && hasPostgres(arm.variant) ? database : null,
      url: target.url,
      pid: target.pid,
      ...(indices !== null && { indexPrefix: indices.prefixOf(database) }),
      underLoad: () => underLoad === index,
    },
  }));
  const endProbes = await timed(clock, progress.phases, 'waitMs', () =>
    Promise.all(probed.map(({ arm, variant }) => probes?.begin(arm, variant) ?? (async () => []))),
  );
  const conditions = await context.conditions.begin(
    progress.arms.flatMap(({ target, link }) => [target.pid ?? [], link?.pids ?? []].flat()),
  );
  const metered = arms.map(meteredArm(context));
  await meter?.begin(isLive ? metered.map((arm) => ({ ...arm, shared: true })) : metered);
  const startMs = clock.nowMs();
  return {
    onTurn(arm) {
      underLoad = arm;
      sampler?.mark(arm === null ? null : { slice: firstSlice + arm, arm: arms[arm]?.arm.name ?? '' });
    },
    edge: async (ended, next) => meter?.edge(ended, next),
    // A database that arms share is sampled under the name of the first.
    addLoad: (arm, loadMs) => sampler?.addLoad((isLive ? arms[0] : arms[arm])?.arm.name ?? '', loadMs),
    async end(times) {
      const passMs = clock.nowMs() - startMs;
      const work = (await meter?.end()) ?? [];
      const seen = await conditions.end();
      const records = await timed(clock, progress.phases, 'waitMs', () =>
        Promise.all(endProbes.map((end, index) => end(loadTimes(times[index] ?? [], passMs, work[index])))),
      );
      return { conditions: seen, probes: records.flat(), work };
    },
  };
}

/** Where an arm's processes and its database are. */
export function meteredArm({ servers }: RoundContext): (live: LiveArm) => MeteredArm {
  return ({ arm, database, target, link }) => {
    const postgres = hasPostgres(arm.variant) ? (servers?.of(arm.variant).postgres ?? null) : null;
    return {
      servicePid: target.pid,
      ...(link !== null && link.pids.length > 0 && { linkPids: link.pids }),
      database: postgres === null ? null : nameOn(postgres, database),
      server: postgres,
    };
  };
}

/** Probes compare with the time of day, of their own samples and the server's. */
function loadTimes(turns: readonly TurnTimes[], passMs: number, work?: TurnWorkRecord): LoadTimes {
  const origin = performance.timeOrigin;
  return {
    loadMs: loadMsOf(turns),
    passMs,
    walBytes: work?.walBytes ?? null,
    turns: turns.map(({ fromMs, toMs }) => ({ fromMs: origin + fromMs, toMs: origin + toMs })),
  };
}
