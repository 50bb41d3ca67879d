import { join } from 'node:path';
import type { Arm } from '../plan/arms.ts';
import { isSwitchedLive } from '../plan/live-blocks.ts';
import type { StartedTarget } from '../target/target.ts';
import { changesIndexes } from '../treatment/changes.ts';
import type { ArmDatabase } from './arm-databases.ts';
import type { LiveArm, RoundContext } from './round-context.ts';
import { switchTo } from './switch-arm.ts';

interface Copy {
  readonly arm: Arm;
  readonly database: string;
  /** Null where the database is not the bench's. */
  readonly copy: ArmDatabase | null;
  readonly copyMs: number;
}

/** Brings all arms of a round to life. */
export async function startArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  await (isSwitchedLive(context.scenario) ? startShared : startEach)(context, round, live);
  const sampled = isSwitchedLive(context.scenario) ? live.slice(0, 1) : live;
  context.sampler?.start(
    round,
    sampled.map(({ arm, database }) => ({ arm: arm.name, database })),
  );
}

/**
 * One database and one process for all arms, switched to each of them once: what cannot be switched is an error before
 * anything is measured.
 */
async function startShared(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { arms, databases, clock, emit, signal, journal } = context;
  emit({ kind: 'arms-starting', arms: 1 });
  const [control] = arms;
  if (control === undefined) throw new Error('a scenario without arms');
  await databases?.open(round);
  await databases?.checkpoint();
  const database = `pgsweep_r${round}_a0`;
  const start = clock.nowMs();
  const copy = (await databases?.copy(database, control.variant)) ?? null;
  const copyMs = clock.nowMs() - start;
  await databases?.checkpoint();
  const started = clock.nowMs();
  const target = await startService(context, { arm: control, database, copy, copyMs });
  live.push(...arms.map((arm) => ({ arm, database, target })));
  const startMs = clock.nowMs() - started;
  for (const one of live) {
    const { name, variant, repeat } = one.arm;
    const treatment = await switchTo(context, one, signal);
    journal.append({ type: 'arm', round, arm: name, variant: variant.name, repeat, copyMs, startMs, treatment });
  }
}

function startService(context: RoundContext, { arm, database, copy }: Copy): Promise<StartedTarget> {
  const { indices } = context;
  return context.startTarget({
    target: context.scenario.target,
    variant: arm.variant,
    databaseUrl: copy?.url ?? null,
    search: indices && { url: indices.url, indexPrefix: indices.prefixOf(database) },
    reaper: context.reaper,
    logFile: join(context.folder, 'logs', `${database}.log`),
    signal: context.signal,
  });
}

/** Copies come one after the other, since they would share one disk; the services then start side by side. */
async function startEach(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { arms, databases, clock, emit, signal } = context;
  emit({ kind: 'arms-starting', arms: arms.length });
  await databases?.open(round);
  // Before the copies, so that they need not write out what the last round left; after them, so that all start alike.
  await databases?.checkpoint();
  const copies: Copy[] = [];
  for (const [index, arm] of arms.entries()) {
    signal.throwIfAborted();
    const database = `pgsweep_r${round}_a${index}`;
    const start = clock.nowMs();
    const copy = (await databases?.copy(database, arm.variant)) ?? null;
    copies.push({ arm, database, copy, copyMs: clock.nowMs() - start });
  }
  await databases?.checkpoint();
  const starts = copies.map(async (one) => {
    const { arm, database, copy, copyMs } = one;
    const start = clock.nowMs();
    const target = await startService(context, one);
    live.push({ arm, database, target });
    const { name, variant, repeat } = arm;
    const startMs = clock.nowMs() - start;
    context.journal.append({
      type: 'arm',
      round,
      arm: name,
      variant: variant.name,
      repeat,
      copyMs,
      startMs,
      ...(copy !== null && copy.treatment.length > 0 && { treatment: copy.treatment }),
      ...(copy?.ownServer === true && { ownServer: true }),
    });
  });
  // All are waited for, so that none starts behind the back of the clean-up.
  const failed = (await Promise.allSettled(starts)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Ends a round that went well. */
export async function closeArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { databases } = context;
  await context.sampler?.stop();
  const alone = eachAlone(live);
  await Promise.all(alone.map(({ target }) => target.stop()));
  // Only now are the counters of each arm's last slice complete.
  for (const { database } of alone) await context.counters?.afterStop(database);
  if (databases !== null && changesIndexes(context.scenario)) {
    for (const { arm, database } of live) {
      const indexes = await databases.indexes(database);
      context.journal.append({ type: 'indexes', round, arm: arm.name, indexes });
    }
  }
  await Promise.all(alone.flatMap(({ database }) => dropAll(context, database)));
  await context.probes?.endRound();
  await databases?.close();
  live.length = 0;
}

/** Ends whatever is left of a round that failed. */
export async function abandonArms(context: RoundContext, live: LiveArm[]): Promise<void> {
  if (live.length > 0) {
    await context.sampler?.stop();
    const alone = eachAlone(live);
    await Promise.allSettled(alone.map(({ target }) => target.stop()));
    await Promise.allSettled(alone.flatMap(({ database }) => dropAll(context, database)));
    live.length = 0;
  }
  await context.probes?.endRound();
  // Arms that did not come to life may have left a copy, and servers.
  await context.databases?.close().catch(() => {});
}

/** Arms that share a process and a database count once. */
export function eachAlone(live: readonly LiveArm[]): LiveArm[] {
  return live.filter(({ target }, index) => live.findIndex((other) => other.target === target) === index);
}

/** What an arm has left in the stack. */
function dropAll({ databases, indices }: RoundContext, database: string): (Promise<void> | undefined)[] {
  return [databases?.drop(database), indices?.drop(database)];
}
