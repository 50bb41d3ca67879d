import { join } from 'node:path';
import { maskKnownTexts } from '../base/secrets.ts';
import type { Arm } from '../plan/arms.ts';
import { changesIndexes } from '../treatment/changes.ts';
import type { ArmDatabase } from './arm-databases.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

/**
 * All arms come to life side by side: each gets its copy of the database, and its service as soon as that is there. The
 * machine's cores are the limit of both, and nobody is under load yet.
 */
export async function startArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { arms, databases, emit } = context;
  emit({ kind: 'arms-starting', arms: arms.length });
  await databases?.open(round);
  // Before the copies, so that they need not write out what the last round left; after them, so that all start alike.
  await databases?.checkpoint();
  const copies = arms.map((arm, index) => copyFor(context, arm, `pgsweep_r${round}_a${index}`));
  const starts = copies.map(async (copy) => startArm(context, round, await copy, live));
  const checkpoint = Promise.all(copies).then(() => databases?.checkpoint());
  // All are waited for, so that none starts behind the back of the clean-up.
  const failed = (await Promise.allSettled([...starts, checkpoint])).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  context.sampler?.start(
    round,
    live.map(({ arm, database }) => ({ arm: arm.name, database })),
  );
}

interface Copy {
  readonly arm: Arm;
  readonly database: string;
  /** Null where the database is not the bench's. */
  readonly copy: ArmDatabase | null;
  readonly copyMs: number;
}

async function copyFor({ databases, clock, signal }: RoundContext, arm: Arm, database: string): Promise<Copy> {
  signal.throwIfAborted();
  const start = clock.nowMs();
  const copy = (await databases?.copy(database, arm.variant)) ?? null;
  return { arm, database, copy, copyMs: clock.nowMs() - start };
}

async function startArm(
  context: RoundContext,
  round: number,
  { arm, database, copy, copyMs }: Copy,
  live: LiveArm[],
): Promise<void> {
  const { clock, indices, signal } = context;
  signal.throwIfAborted();
  const start = clock.nowMs();
  const target = await context.startTarget({
    target: context.scenario.target,
    variant: arm.variant,
    databaseUrl: copy?.url ?? null,
    search: indices && { url: indices.url, indexPrefix: indices.prefixOf(database) },
    reaper: context.reaper,
    logFile: join(context.folder, 'logs', `${database}.log`),
    signal,
  });
  live.push({ arm, database, target });
  context.journal.append({
    type: 'arm',
    round,
    arm: arm.name,
    variant: arm.variant.name,
    repeat: arm.repeat,
    copyMs,
    startMs: clock.nowMs() - start,
    ...(copy !== null && copy.treatment.length > 0 && { treatment: maskKnownTexts(copy.treatment) }),
    ...(copy?.ownServer === true && { ownServer: true }),
  });
}

/** Ends a round that went well. */
export async function closeArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { databases } = context;
  await context.sampler?.stop();
  await Promise.all(live.map(({ target }) => target.stop()));
  // Only now are the counters of each arm's last slice complete.
  await Promise.all(live.map(({ database }) => context.counters?.afterStop(database)));
  if (databases !== null && changesIndexes(context.scenario)) {
    for (const { arm, database } of live) {
      const indexes = await databases.indexes(database);
      context.journal.append({ type: 'indexes', round, arm: arm.name, indexes });
    }
  }
  await Promise.all(live.flatMap(({ database }) => dropAll(context, database)));
  await context.probes?.endRound();
  await databases?.close();
  live.length = 0;
}

/** Ends whatever is left of a round that failed. */
export async function abandonArms(context: RoundContext, live: LiveArm[]): Promise<void> {
  if (live.length > 0) {
    await context.sampler?.stop();
    await Promise.allSettled(live.map(({ target }) => target.stop()));
    await Promise.allSettled(live.flatMap(({ database }) => dropAll(context, database)));
    live.length = 0;
  }
  await context.probes?.endRound();
  // Arms that did not come to life may have left a copy, and servers.
  await context.databases?.close().catch(() => {});
}

/** What an arm has left in the stack. */
function dropAll({ databases, indices }: RoundContext, database: string): (Promise<void> | undefined)[] {
  return [databases?.drop(database), indices?.drop(database)];
}
