import type { ProbeReading } from '../probe.ts';
import { rounded } from './column-choices.ts';

/** Sessions of one moment that are in the same state. */
export interface SessionGroup {
  readonly state: string | null;
  /** The type of the wait event; null for a session that runs. */
  readonly type: string | null;
  readonly event: string | null;
  readonly sessions: number;
}

/** `busy`: all but those that are idle and outside of a transaction. What follows adds up to it. */
export const waitSampleColumns = [
  'connections',
  'busy',
  'idle_in_transaction',
  'cpu',
  'lock',
  'lwlock',
  'io',
  'client',
  'other',
] as const;

export type WaitSample = Readonly<Record<(typeof waitSampleColumns)[number], number>>;

type WaitClass = 'cpu' | 'lock' | 'lwlock' | 'io' | 'client' | 'other';

const classes: readonly WaitClass[] = ['cpu', 'lock', 'lwlock', 'io', 'client', 'other'];

/** By Postgres's name of the type. Buffer pins, extensions, IPC and timeouts (pg_sleep) are `other`. */
const classOfType: Readonly<Record<string, WaitClass>> = { Lock: 'lock', LWLock: 'lwlock', IO: 'io', Client: 'client' };

function isIdle({ state }: SessionGroup): boolean {
  // None: one that has just connected, or does not say (track_activities is off).
  return state === null || state === 'idle' || state === 'disabled';
}

function isIdleInTransaction({ state }: SessionGroup): boolean {
  return state?.startsWith('idle in transaction') ?? false;
}

function classOf(group: SessionGroup): WaitClass {
  // Between its statements a session waits for its client, whatever it shows at that moment.
  if (isIdleInTransaction(group)) return 'client';
  return group.type === null ? 'cpu' : (classOfType[group.type] ?? 'other');
}

/** The sessions of one moment, counted. */
export function countSessions(groups: readonly SessionGroup[]): WaitSample {
  const count = (which: (group: SessionGroup) => boolean): number =>
    groups.filter(which).reduce((sum, { sessions }) => sum + sessions, 0);
  const busy = groups.filter((group) => !isIdle(group));
  const byClass = Object.fromEntries(
    classes.map((name) => [name, count((group) => busy.includes(group) && classOf(group) === name)]),
  ) as Record<WaitClass, number>;
  return {
    connections: count(() => true),
    busy: count((group) => !isIdle(group)),
    idle_in_transaction: count(isIdleInTransaction),
    ...byClass,
  };
}

/**
 * Shares of the busy sessions over all moments, how many were busy at once, and a row for each event; null without a
 * sample. Shares are absent where nobody was busy.
 */
export function summariseWaits(
  moments: readonly (readonly SessionGroup[])[],
): { readonly values: Readonly<Record<string, number | null>>; readonly rows: ProbeReading['rows'] & object } | null {
  if (moments.length === 0) return null;
  const samples = moments.map(countSessions);
  const total = (column: keyof WaitSample): number => samples.reduce((sum, sample) => sum + sample[column], 0);
  const busyTotal = total('busy');
  const share = (part: number): number | null => (busyTotal === 0 ? null : part / busyTotal);
  const busy = samples.map((sample) => sample.busy).sort((a, b) => a - b);
  return {
    values: {
      wait_samples: samples.length,
      connections_mean: total('connections') / samples.length,
      busy_connections_mean: busyTotal / samples.length,
      busy_connections_p95: busy[Math.ceil(0.95 * busy.length) - 1] ?? null,
      busy_connections_max: busy.at(-1) ?? null,
      idle_in_transaction_mean: total('idle_in_transaction') / samples.length,
      on_cpu_share: share(total('cpu')),
      lock_wait_share: share(total('lock')),
      lwlock_wait_share: share(total('lwlock')),
      io_wait_share: share(total('io')),
      client_wait_share: share(total('client')),
      other_wait_share: share(total('other')),
    },
    rows: eventRows(moments, busyTotal),
  };
}

function eventRows(
  moments: readonly (readonly SessionGroup[])[],
  busyTotal: number,
): { event: string; share: number }[] {
  const seen = new Map<string, number>();
  for (const group of moments.flat()) {
    if (isIdle(group)) continue;
    const event = isIdleInTransaction(group)
      ? 'Client:idle in transaction'
      : group.type === null
        ? 'CPU'
        : `${group.type}:${group.event}`;
    seen.set(event, (seen.get(event) ?? 0) + group.sessions);
  }
  return [...seen]
    .sort(([, a], [, b]) => b - a)
    .map(([event, sessions]) => ({ event, share: rounded(sessions / busyTotal) }));
}
