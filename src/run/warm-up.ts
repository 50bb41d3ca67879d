import { seedOf } from '../base/random.ts';
import { type LiveArm, type Phases, type RoundContext, timed } from './round-context.ts';
import { runLoad } from './run-load.ts';

/**
 * Rates over less are mostly the noise of counting: with 100 ms every process here looked flat after 1.1 s, at a third
 * of the rate that it came to.
 */
const BATCH_MS = 250;
/**
 * From a second on (eight batches) every process looked flat at 2.1 s, with its rate still rising by a third a second,
 * and one arm was warmed for 2 s beside another for 5 s, which was then 6 % faster. What is equal in all arms matters
 * more than the seconds saved.
 */
const LEAST_MS = 3000;

/**
 * Warms a fresh process until its rate is flat, at most for as long as `load.warmup` says. The cap is the same for all
 * arms; one that reaches it is recorded as not steady.
 */
export async function warmUp(context: RoundContext, round: number, live: LiveArm, phases: Phases): Promise<void> {
  const { scenario, journal, counters, clock, emit, seed, isWarm } = context;
  const { levels, warmupMs, timeoutMs } = scenario.load;
  // The heaviest level: it fills the pool and compiles what the lighter ones use.
  const load = levels.reduce((most, level) => (level.connections > most.connections ? level : most));
  emit({ kind: 'warmup-started', arm: live.arm.name });
  const job = {
    url: live.target.url,
    load,
    seed: seedOf(seed, round, 'warmup'),
    durationMs: warmupMs,
    dropMs: 0,
    timeoutMs,
    batchMs: BATCH_MS,
  };
  const flat = new AbortController();
  const rates: number[] = [];
  const onBatch = (requestsPerSecond: number): void => {
    rates.push(requestsPerSecond);
    if (rates.length * BATCH_MS >= LEAST_MS && !flat.signal.aborted && isWarm(rates)) flat.abort();
  };
  const result = await timed(clock, phases, 'warmupMs', () =>
    runLoad(context, live, job, { onBatch, finish: flat.signal }),
  );
  journal.append({
    type: 'warmup',
    round,
    arm: live.arm.name,
    load,
    durationMs: result.loadMs,
    outcomes: result.whole.statuses,
    perSecond: result.perSecond,
    // Too short for the rate to be judged: a fixed warm-up.
    ...(warmupMs > LEAST_MS && { steady: flat.signal.aborted }),
  });
  counters?.afterUncounted(live.database);
}
