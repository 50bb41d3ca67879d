import { join } from 'node:path';
import type { Arm } from '../plan/arms.ts';
import type { LiveArm, RoundContext } from './round-context.ts';

/** Copies come one after the other, since they would share one disk; the services then start side by side. */
export async function startArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { arms, databases, indices, clock, emit, signal } = context;
  emit({ kind: 'arms-starting', arms: arms.length });
  // Before the copies, so that they need not write out what the last round left; after them, so that all start alike.
  await databases?.checkpoint();
  const copies: { arm: Arm; database: string; url: string | null; copyMs: number }[] = [];
  for (const [index, arm] of arms.entries()) {
    signal.throwIfAborted();
    const database = `pgsweep_r${round}_a${index}`;
    const start = clock.nowMs();
    const url = (await databases?.copy(database)) ?? null;
    copies.push({ arm, database, url, copyMs: clock.nowMs() - start });
  }
  await databases?.checkpoint();
  const starts = copies.map(async ({ arm, database, url, copyMs }) => {
    const start = clock.nowMs();
    const target = await context.startTarget({
      target: context.scenario.target,
      variant: arm.variant,
      databaseUrl: url,
      search: indices && { url: indices.url, indexPrefix: indices.prefixOf(database) },
      reaper: context.reaper,
      logFile: join(context.folder, 'logs', `${database}.log`),
      signal,
    });
    live.push({ arm, database, target });
    const { name, variant, repeat } = arm;
    const startMs = clock.nowMs() - start;
    context.journal.append({ type: 'arm', round, arm: name, variant: variant.name, repeat, copyMs, startMs });
  });
  // All are waited for, so that none starts behind the back of the clean-up.
  const failed = (await Promise.allSettled(starts)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  context.sampler?.start(
    round,
    live.map(({ arm, database }) => ({ arm: arm.name, database })),
  );
}

/** Ends a round that went well. */
export async function closeArms(context: RoundContext, live: LiveArm[]): Promise<void> {
  await context.sampler?.stop();
  await Promise.all(live.map(({ target }) => target.stop()));
  // Only now are the counters of each arm's last slice complete.
  for (const { database } of live) await context.counters?.afterStop(database);
  await Promise.all(live.flatMap(({ database }) => dropAll(context, database)));
  live.length = 0;
}

/** Ends whatever is left of a round that failed. */
export async function abandonArms(context: RoundContext, live: LiveArm[]): Promise<void> {
  if (live.length === 0) return;
  await context.sampler?.stop();
  await Promise.allSettled(live.map(({ target }) => target.stop()));
  await Promise.allSettled(live.flatMap(({ database }) => dropAll(context, database)));
  live.length = 0;
}

/** What an arm has left in the stack. */
function dropAll({ databases, indices }: RoundContext, database: string): (Promise<void> | undefined)[] {
  return [databases?.drop(database), indices?.drop(database)];
}
