import type { LiveArm, RoundIo } from './round-context.ts';
import { whileServing } from './run-load.ts';

/** A turn, on the run's clock. */
export interface TurnTimes {
  readonly fromMs: number;
  readonly toMs: number;
}

export type PrepareTurn = (arm: number, signal: AbortSignal) => Promise<void>;

export interface TurnsToTake {
  readonly arms: readonly LiveArm[];
  /** Whose turn it is, by their places in `arms`: a cycle after the other. */
  readonly cycles: Iterable<readonly number[]>;
  /** Gives an arm its next turn; `turn` counts its own from 0. */
  readonly give: (arm: number, turn: number, signal: AbortSignal) => Promise<void>;
  /** Work before an arm's turn, while no arm is under load; it counts for no arm. */
  readonly prepare?: PrepareTurn;
  /**
   * Work after an arm's turn. It counts for no arm's time; what the arm's processes do meanwhile still counts for the arm,
   * since its edge is read afterwards.
   */
  readonly finish?: (arm: number) => Promise<void>;
  /** Work while no arm is under load before a cycle, by its number (or after the last); null where there is none. */
  readonly between?: (cycle: number) => ((signal: AbortSignal) => Promise<void>) | null;
  /** Readings between two turns: the arm that just finished, and the next arm. */
  readonly edge?: (ended: number | null, next: number | null) => Promise<void>;
  /** An arm's turn has come, or (null) no arm's. */
  readonly onTurn?: (arm: number | null) => void;
}

/**
 * Gives arms their turns, one after the other, and returns when each arm had its own. Ends at once when the service of
 * any of them ends, or the run is aborted.
 */
export async function takeTurns(
  io: Pick<RoundIo, 'clock' | 'signal'>,
  { arms, cycles, give, prepare, finish, between, edge, onTurn }: TurnsToTake,
): Promise<readonly (readonly TurnTimes[])[]> {
  const { clock } = io;
  const times = arms.map((): TurnTimes[] => []);
  const services = arms.map(({ arm, target, link }) => ({ name: arm.name, variant: arm.variant.name, target, link }));
  await whileServing({ clock, signal: io.signal, services }, async (signal) => {
    let ended: number | null = null;
    const pause = async (cycle: number): Promise<void> => {
      const work = between?.(cycle) ?? null;
      if (work === null) return;
      await edge?.(ended, null);
      ended = null;
      await work(signal);
    };
    let cycle = 0;
    for (const order of cycles) {
      await pause(cycle++);
      for (const arm of order) {
        signal.throwIfAborted();
        if (prepare !== undefined) {
          await edge?.(ended, null);
          ended = null;
          await prepare(arm, signal);
        }
        await edge?.(ended, arm);
        onTurn?.(arm);
        const own = times[arm] ?? [];
        const fromMs = clock.nowMs();
        await give(arm, own.length, signal);
        own.push({ fromMs, toMs: clock.nowMs() });
        onTurn?.(null);
        await finish?.(arm);
        ended = arm;
      }
    }
    await edge?.(ended, null);
    ended = null;
    await pause(cycle);
  });
  return times;
}

/** All work before a turn, in order; none where there is none, since it costs readings of the meter. */
export function prepareTurns(...works: readonly (PrepareTurn | undefined)[]): Pick<TurnsToTake, 'prepare'> {
  const own = works.filter((work) => work !== undefined);
  if (own.length === 0) return {};
  return {
    async prepare(arm, signal) {
      for (const work of own) await work(arm, signal);
    },
  };
}

interface Closing<Result> {
  close(): Promise<Result>;
}

/** The load of an arm that had all its turns. */
interface LoadedInTurns<Result> {
  readonly alive: LiveArm;
  readonly result: Result;
  readonly times: readonly TurnTimes[];
}

/** Opens a stream for each arm, and closes all of them when their turns are over, or were broken off. */
export async function loadInTurns<Result, Stream>(
  arms: readonly LiveArm[],
  open: (alive: LiveArm) => Promise<Stream & Closing<Result>>,
  take: (streams: readonly Stream[]) => ReturnType<typeof takeTurns>,
): Promise<LoadedInTurns<Result>[]> {
  const opened: { readonly alive: LiveArm; readonly stream: Stream & Closing<Result> }[] = [];
  try {
    for (const alive of arms) opened.push({ alive, stream: await open(alive) });
    const times = await take(opened.map(({ stream }) => stream));
    const closing = opened.splice(0).map(async ({ alive, stream }, index) => {
      return { alive, result: await stream.close(), times: times[index] ?? [] };
    });
    return await Promise.all(closing);
  } finally {
    await Promise.allSettled(opened.map(({ stream }) => stream.close()));
  }
}

/** How long an arm was under load in its turns. */
export function loadMsOf(turns: readonly TurnTimes[]): number {
  return turns.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** The longest time between two turns; 0 where there is one at the most. */
export function longestGapMs(turns: readonly TurnTimes[]): number {
  return Math.max(0, ...turns.slice(1).map(({ fromMs }, before) => fromMs - (turns[before]?.toMs ?? fromMs)));
}
