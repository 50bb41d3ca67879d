import type { StartedGenerator } from '../../load/generator-process.ts';
import { tryReads } from '../preflight/try-requests.ts';
import { neverReached, watchReach } from './reach.ts';
import type { Reached } from './reached.ts';
import type { ReachOptions, RoundReach, WatchedArm } from './watched.ts';

/** Transactions that probes of the bench make in a copy while it is under load, at most. */
const OF_THE_BENCH = 100;

export interface RoundReachOptions extends Pick<ReachOptions, 'scenario'> {
  readonly seed: number;
  readonly stack: ReachOptions['stack'];
  readonly generator: Pick<StartedGenerator, 'tryRequests'>;
  readonly signal: AbortSignal;
}

export function openRoundReach({ scenario, stack, generator, seed, signal }: RoundReachOptions): RoundReach {
  let isFirst = true;
  const most = new Map<string, Reached>();
  const look = async ({ arm, reach, target }: WatchedArm, when: string, own = 0): Promise<void> => {
    const reached = await reach?.look(target, when, own);
    const before = most.get(arm.name);
    if (reached !== undefined && reached.sessions >= (before?.sessions ?? 0)) most.set(arm.name, reached);
  };
  return {
    watch: (options) => (isFirst ? watchReach({ ...options, scenario, stack }) : null),
    async beforeLoad(arms) {
      for (const alive of watchedOf(arms)) {
        await look(alive, 'Before it is asked anything', OF_THE_BENCH);
        const read = await tryReads({ scenario, seed, generator, io: { signal } }, alive.target, 1);
        if (read !== null) await look(alive, `After ${read}`);
      }
    },
    async underLoad(arms) {
      for (const alive of watchedOf(arms)) await look(alive, 'Under load', OF_THE_BENCH);
    },
    async end(round, arms, journal) {
      for (const alive of watchedOf(arms)) {
        const { arm, reach } = alive;
        await look(alive, 'At the end of its load', OF_THE_BENCH);
        if (reach?.isUsed === false && scenario.dataset.kind !== 'none') throw neverReached(arm.variant.name);
        const { sessions = 0, processes = null } = most.get(arm.name) ?? {};
        journal.append({ type: 'sessions', round, arm: arm.name, variant: arm.variant.name, sessions, processes });
      }
      isFirst = false;
    },
  };
}

function watchedOf(arms: readonly WatchedArm[]): WatchedArm[] {
  return arms.filter(({ reach }) => reach !== undefined && reach !== null);
}
