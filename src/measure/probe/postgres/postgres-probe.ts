import { messageOf } from '../../../base/errors.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind, ProbeReading } from '../probe.ts';
import { createPlaces } from '../shared-by.ts';
import type { Attempt } from '../warn-once.ts';

/** The bench's database, and a context in which it is there. */
export type PostgresContext = ProbeContext & { readonly postgres: NonNullable<ProbeContext['postgres']> };

/**
 * A probe of the database: absent where there is none that the bench can see, where `open` returns the reason, and
 * where it throws.
 */
export function postgresProbe(
  name: string,
  open: (context: PostgresContext) => Promise<Omit<Probe, 'name'> | string>,
  facts: Pick<ProbeKind, 'byTurns' | 'preload' | 'values'>,
): ProbeKind {
  return {
    ...facts,
    name,
    of: 'server',
    async open(context): Promise<Probe | AbsentProbe> {
      const { postgres } = context;
      if (postgres === null) return { name, absent: 'the database is not one that pgsweep has started' };
      try {
        const opened = await open({ ...context, postgres });
        return typeof opened === 'string' ? { name, absent: opened } : { ...opened, name };
      } catch (error) {
        return { name, absent: messageOf(error) };
      }
    },
  };
}

/** An arm that has a database, as probes of it read one. */
export type DatabaseArm = ProbedArm & { readonly database: string };

/** Facts between the two readings of an arm. */
export interface ObservedSlice {
  readonly arm: DatabaseArm;
  /** Between the two readings. */
  readonly elapsedMs: number;
  /** When the arm was under load in between. */
  readonly load: LoadTimes;
  /** True if other arms of this probe, on the same server, took turns with it. */
  readonly shared: boolean;
}

export interface Differences<Snapshot> {
  readonly attempt: Attempt;
  readonly read: (arm: DatabaseArm) => Promise<Snapshot>;
  readonly tell: (before: Snapshot, after: Snapshot, slice: ObservedSlice) => ProbeReading | Promise<ProbeReading>;
}

/** The `begin` of a probe that reads before and after a pass, and tells what lies between. An arm works in its own turns. */
export function beginDifference<Snapshot>({ attempt, read, tell }: Differences<Snapshot>): Probe['begin'] {
  const places = createPlaces<'server'>();
  return async (arm) => {
    const { database } = arm;
    if (database === null) return { end: async () => null };
    const place = places.enter('server');
    const before = await attempt(() => read({ ...arm, database }));
    const startedMs = performance.now();
    return {
      async end(load) {
        place.leave();
        if (before === null) return null;
        const elapsedMs = performance.now() - startedMs;
        return attempt(async () => {
          const slice = { arm: { ...arm, database }, elapsedMs, load, shared: place.shared };
          return tell(before, await read(slice.arm), slice);
        });
      },
    };
  };
}
