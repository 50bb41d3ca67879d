import { messageOf } from '../base/errors.ts';
import type { AbsentProbe, LoadTimes, OpenProbe, Probe, ProbeContext, ProbedArm, ProbeReading } from './probe.ts';
import { createPlaces } from './shared-by.ts';

export type Guard = <T>(work: () => Promise<T>) => Promise<T | null>;

/** Runs what may fail: the result is null then, and the first failure becomes a warning. */
export function createGuard(name: string, onWarning: (message: string) => void): Guard {
  let warned = false;
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!warned) onWarning(`the probe ${name} has missed something: ${messageOf(error)}`);
      warned = true;
      return null;
    }
  };
}

/** The bench's database, and a context in which it is there. */
export type PostgresContext = ProbeContext & { readonly postgres: NonNullable<ProbeContext['postgres']> };

/**
 * A probe of the database: absent where there is none that the bench can see, where `open` returns the reason, and
 * where it throws.
 */
export function postgresProbe(
  name: string,
  open: (context: PostgresContext) => Promise<Omit<Probe, 'name'> | string>,
): OpenProbe {
  return async (context): Promise<Probe | AbsentProbe> => {
    const { postgres } = context;
    if (postgres === null) return { name, absent: 'the database is not one that pgsweep has started' };
    try {
      const opened = await open({ ...context, postgres });
      return typeof opened === 'string' ? { name, absent: opened } : { ...opened, name };
    } catch (error) {
      return { name, absent: messageOf(error) };
    }
  };
}

/** An arm that has a database, as probes of it read one. */
export type DatabaseArm = ProbedArm & { readonly database: string };

/** What lies between the two readings of an arm. */
export interface ObservedSlice {
  readonly arm: DatabaseArm;
  /** Between the two readings. */
  readonly elapsedMs: number;
  /** When the arm was under load in between. */
  readonly load: LoadTimes;
  /** Whether other arms of this probe, that is of the same server, took turns with it. */
  readonly shared: boolean;
}

export interface Differences<Snapshot> {
  readonly guard: Guard;
  readonly read: (arm: DatabaseArm) => Promise<Snapshot>;
  readonly tell: (before: Snapshot, after: Snapshot, slice: ObservedSlice) => ProbeReading | Promise<ProbeReading>;
}

/** The `begin` of a probe that reads before and after a pass, and tells what lies between. An arm works in its own turns. */
export function beginDifference<Snapshot>({ guard, read, tell }: Differences<Snapshot>): Probe['begin'] {
  const places = createPlaces<'server'>();
  return async (arm) => {
    const { database } = arm;
    if (database === null) return { end: async () => null };
    const place = places.enter('server');
    const before = await guard(() => read({ ...arm, database }));
    const startedMs = performance.now();
    return {
      async end(load) {
        place.leave();
        if (before === null) return null;
        const elapsedMs = performance.now() - startedMs;
        return guard(async () => {
          const slice = { arm: { ...arm, database }, elapsedMs, load, shared: place.shared };
          return tell(before, await read(slice.arm), slice);
        });
      },
    };
  };
}
