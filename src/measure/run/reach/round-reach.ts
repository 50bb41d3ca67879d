import type { JournalWriter } from '../../../journal/journal.ts';
import type { StartedGenerator } from '../../load/generator-process.ts';
import { tryReads } from '../preflight/try-requests.ts';
import type { LiveArm, RoundContext } from '../round/round-context.ts';
import { neverReached, type Reach, type ReachOptions, watchReach } from './reach.ts';
import type { Reached } from './reached.ts';

/** Transactions that probes of the bench make in a copy while it is under load, at most. */
const OF_THE_BENCH = 100;

/** Watches in the first round of a session if every arm uses its copy; does nothing in the rounds that follow. */
export interface RoundReach {
  /** Begins to watch an arm; null where there is nothing to watch. */
  watch(options: Omit<ReachOptions, 'scenario' | 'stack'>): Reach | null;
  /** Sends one read to each arm that is up, before any load, and looks. Throws PgsweepError `target` as `Reach.look`. */
  beforeLoad(arms: readonly LiveArm[]): Promise<void>;
  /** Looks at arms that have had load, while they run. Throws as `beforeLoad`. */
  underLoad(arms: readonly LiveArm[]): Promise<void>;
  /** Records what arms held that are about to end, and stops watching. Throws where load did not reach a copy. */
  end(round: number, arms: readonly LiveArm[], journal: JournalWriter): Promise<void>;
}

export interface RoundReachOptions extends Pick<RoundContext, 'scenario' | 'seed'> {
  readonly stack: ReachOptions['stack'];
  readonly generator: Pick<StartedGenerator, 'tryRequests'>;
  readonly signal: AbortSignal;
}

export function openRoundReach({ scenario, stack, generator, seed, signal }: RoundReachOptions): RoundReach {
  let isFirst = true;
  const most = new Map<string, Reached>();
  const look = async ({ arm, reach, target }: LiveArm, when: string, own = 0): Promise<void> => {
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

function watchedOf(arms: readonly LiveArm[]): LiveArm[] {
  return arms.filter(({ reach }) => reach !== undefined && reach !== null);
}
