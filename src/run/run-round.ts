import type { RoundRecord } from '../journal/records.ts';
import type { Arm } from '../plan/arms.ts';
import { countersGap } from '../plan/counter-waits.ts';
import { orderSlices } from '../plan/order.ts';
import { abandonArms, closeArms, startArms } from './live-arms.ts';
import { type LoadedArm, measureBulk, settleBulk } from './measure-bulk.ts';
import { measureSlice } from './measure-slice.ts';
import type { RoundProgress, SliceToMeasure } from './observe-load.ts';
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
  const bulk = order.filter(({ load }) => load.bulk).length;
  const live: LiveArm[] = [];
  const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
  const progress: RoundProgress = { phases, arms: live, repeatsLeft: Math.ceil(order.length * MOST_REPEATS_SHARE) };
  try {
    await timed(clock, phases, 'bootMs', () => startArms(context, round, live));
    const warmupOrder = [...new Set(order.map(({ arm }) => arm))];
    // A bulk load starts on a cold process, as it does for everybody; after it the process is warm.
    for (const arm of bulk > 0 ? [] : warmupOrder) await warmUp(context, round, liveArm(live, arm), phases);
    const all = order.map((planned, slice) => ({
      round,
      slice,
      attempt: 0,
      planned,
      live: liveArm(live, planned.arm),
    }));
    const loaded: LoadedArm[] = [];
    for (const wanted of all.slice(0, bulk)) loaded.push(await measureBulk(context, wanted, progress));
    await settleBulk(context, round, loaded, phases);
    await measureAll(context, all.slice(bulk), progress);
    await timed(clock, phases, 'stopMs', () => closeArms(context, round, live));
  } finally {
    // After a failure; a round that went well has already done this.
    await abandonArms(context, live);
  }
  const record: RoundRecord = { type: 'round', round, startedAt, durationMs: clock.nowMs() - start, phases };
  journal.append(record);
  return record;
}

/**
 * A void slice is measured again at the end of its pass: among those that it is compared with, but after others, whose
 * time would else be spent waiting until the void attempt's counters are complete.
 */
async function measureAll(
  context: RoundContext,
  slices: readonly SliceToMeasure[],
  progress: RoundProgress,
): Promise<void> {
  const left = [...slices];
  const passOf = ({ slice }: SliceToMeasure): number => Math.floor(slice / context.arms.length);
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (!(await measureSlice(context, next, progress))) continue;
    const pass = passOf(next);
    const ofPass = left.filter((other) => passOf(other) === pass);
    left.splice(ofPass.length, 0, { ...next, attempt: next.attempt + 1 });
  }
}

function liveArm(live: readonly LiveArm[], arm: Arm): LiveArm {
  const found = live.find((candidate) => candidate.arm === arm);
  if (found === undefined) throw new Error(`arm ${arm.name} is not alive`);
  return found;
}
