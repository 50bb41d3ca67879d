import type { RoundRecord } from '../journal/records.ts';
import type { Arm } from '../plan/arms.ts';
import { countersGap } from '../plan/counter-waits.ts';
import { orderSlices } from '../plan/order.ts';
import { abandonArms, closeArms, startArms } from './live-arms.ts';
import { measureSlice, type RoundProgress } from './measure-slice.ts';
import { type LiveArm, type RoundContext, timed } from './round-context.ts';
import { warmUp } from './warm-up.ts';

/** On a machine where everything is void, measuring it all again only makes the round longer. */
const MOST_REPEATS_SHARE = 1 / 3;

/**
 * Runs one round: brings every arm to life, warms each, measures every cell in shuffled slices, stops every arm. The
 * round's record is written last, so a round that fails or is interrupted has none and is not judged.
 */
export async function runRound(context: RoundContext, round: number): Promise<RoundRecord> {
  const { clock, journal, scenario } = context;
  const startedAt = clock.isoNow();
  const start = clock.nowMs();
  const order = orderSlices({
    arms: context.arms,
    levels: scenario.load.levels,
    slicesPerRound: scenario.load.slicesPerRound,
    seed: context.seed,
    round,
    // So many slices of others between two of one arm that its counters need no waiting for.
    gap: context.counters === null ? 0 : countersGap(scenario),
  });
  const live: LiveArm[] = [];
  const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
  const progress: RoundProgress = { phases, arms: live, repeatsLeft: Math.ceil(order.length * MOST_REPEATS_SHARE) };
  try {
    await timed(clock, phases, 'bootMs', () => startArms(context, round, live));
    const warmupOrder = [...new Set(order.map(({ arm }) => arm))];
    for (const arm of warmupOrder) await warmUp(context, round, liveArm(live, arm), phases);
    for (const [slice, planned] of order.entries()) {
      await measureSlice(context, { round, slice, planned, live: liveArm(live, planned.arm) }, progress);
    }
    await timed(clock, phases, 'stopMs', () => closeArms(context, round, live));
  } finally {
    // After a failure; a round that went well has already done this.
    await abandonArms(context, live);
  }
  const record: RoundRecord = { type: 'round', round, startedAt, durationMs: clock.nowMs() - start, phases };
  journal.append(record);
  return record;
}

function liveArm(live: readonly LiveArm[], arm: Arm): LiveArm {
  const found = live.find((candidate) => candidate.arm === arm);
  if (found === undefined) throw new Error(`arm ${arm.name} is not alive`);
  return found;
}
