import type { IdleRecord } from '../../journal/pass-records.ts';
import type { DatabaseCounters } from '../../journal/records.ts';
import { countersBetween, SETTLE_MS } from '../../probe/meter/database-counters.ts';
import { meteredArm } from './observe-pass.ts';
import { type LiveArm, type RoundContext, type RoundProgress, timed } from './round-context.ts';

/** How long all arms are left alone. */
const STRETCH_MS = 3000;

/**
 * Leaves all arms alone for a moment once they are warm, and records what each does by itself: polls, timers and other
 * work that follows time and not requests. Once a session.
 *
 * A session that a load has used reports the rest of it 10 s later, or with its next transaction. So where a database
 * counted nothing in the first stretch, nothing goes on in it; where it counted something, that may be such a rest, and
 * it is looked at again when all rests have been reported.
 */
export async function watchIdle(
  context: RoundContext,
  round: number,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  const { clock, journal, signal } = context;
  if (progress.loadEndedAtMs === null || (context.meter === null && context.countersReader === null)) return;
  const settledAtMs = progress.loadEndedAtMs + SETTLE_MS;
  await timed(clock, progress.phases, 'waitMs', async () => {
    let seen = await stretch(context, round, arms);
    if (seen.some(({ delta }) => delta !== null && countsAnything(delta))) {
      await clock.sleep(Math.max(0, settledAtMs - clock.nowMs()), signal);
      seen = await stretch(context, round, arms);
    }
    for (const record of seen) {
      journal.append(record);
      if (record.cpuMs !== null) context.aloneShares.set(record.arm, record.cpuMs / record.durationMs);
    }
  });
}

async function stretch(context: RoundContext, round: number, arms: readonly LiveArm[]): Promise<IdleRecord[]> {
  const { clock, meter, countersReader, signal } = context;
  const databases = arms.map(({ database }) => database);
  await meter?.begin(arms.map(meteredArm(context)));
  const before = await countersReader?.read(databases);
  const start = clock.nowMs();
  await clock.sleep(STRETCH_MS, signal);
  const durationMs = clock.nowMs() - start;
  const after = await countersReader?.read(databases);
  const work = (await meter?.end()) ?? [];
  return arms.map(({ arm, database }, index) => {
    const [from, to] = [before?.get(database), after?.get(database)];
    return {
      type: 'idle',
      round,
      arm: arm.name,
      durationMs,
      delta: from === undefined || to === undefined ? null : countersBetween(from, to),
      cpuMs: work[index]?.idleCpuMs ?? null,
    };
  });
}

function countsAnything(delta: DatabaseCounters): boolean {
  return Object.values(delta).some((count) => count > 0);
}
