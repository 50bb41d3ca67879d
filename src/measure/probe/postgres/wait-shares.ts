import { type Counter, eachRow, tableOf, valuesIn, valuesOf } from '../counters.ts';
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

/** A count of the sessions of a moment. `waits`: of the busy ones those that wait for an event of this type, by Postgres's name. */
interface SessionCounter extends Counter {
  readonly waits?: string | null;
}

/** In the order of the samples' columns. `busy`: all but those that are idle and outside of a transaction. Those of which a share is reported add up to it. */
export const sessionCounters = tableOf<SessionCounter>()({
  connections: { value: 'connections_mean', per: 'moments' },
  busy: { value: 'busy_connections_mean', per: 'moments' },
  idle_in_transaction: { value: 'idle_in_transaction_mean', per: 'moments' },
  cpu: { value: 'on_cpu_share', per: 'busy', waits: null },
  lock: { value: 'lock_wait_share', per: 'busy', waits: 'Lock' },
  lwlock: { value: 'lwlock_wait_share', per: 'busy', waits: 'LWLock' },
  io: { value: 'io_wait_share', per: 'busy', waits: 'IO' },
  client: { value: 'client_wait_share', per: 'busy', waits: 'Client' },
  /** Buffer pins, extensions, IPC and timeouts (pg_sleep). */
  other: { value: 'other_wait_share', per: 'busy', waits: '' },
});

export type WaitSample = Readonly<Record<keyof typeof sessionCounters, number>>;

/** Names of the values of a slice. */
export const waitValues: readonly string[] = [
  ...['wait_samples', 'busy_connections_p95', 'busy_connections_max'],
  ...valuesIn(sessionCounters),
];

const namedTypes: readonly (string | null | undefined)[] = Object.values(sessionCounters).map(({ waits }) => waits);

function isIdle({ state }: SessionGroup): boolean {
  // None: one that has just connected, or does not say (track_activities is off).
  return state === null || state === 'idle' || state === 'disabled';
}

function isIdleInTransaction({ state }: SessionGroup): boolean {
  return state?.startsWith('idle in transaction') ?? false;
}

/** The type of event that a busy session waits for, as the counters name it. */
function waitOf(group: SessionGroup): string | null {
  // Between its statements a session waits for its client, whatever it shows at that moment.
  if (isIdleInTransaction(group)) return 'Client';
  return namedTypes.includes(group.type) ? group.type : '';
}

/** The sessions of one moment, counted. */
export function countSessions(groups: readonly SessionGroup[]): WaitSample {
  const count = (which: (group: SessionGroup) => boolean): number =>
    groups.filter(which).reduce((sum, { sessions }) => sum + sessions, 0);
  const isBusy = (group: SessionGroup): boolean => !isIdle(group);
  return {
    ...eachRow(sessionCounters, ({ waits }) => count((group) => isBusy(group) && waitOf(group) === waits)),
    connections: count(() => true),
    busy: count(isBusy),
    idle_in_transaction: count(isIdleInTransaction),
  };
}

/**
 * Shares of the busy sessions over all moments, how many were busy at once, and a row for each event; null without a
 * sample. Shares are absent where nobody was busy.
 */
export function summariseWaits(
  moments: readonly (readonly SessionGroup[])[],
): { readonly values: Readonly<Record<string, number>>; readonly rows: ProbeReading['rows'] & object } | null {
  if (moments.length === 0) return null;
  const samples = moments.map(countSessions);
  const totals = eachRow(sessionCounters, (_, name) => samples.reduce((sum, sample) => sum + sample[name], 0));
  const busy = samples.map((sample) => sample.busy).sort((a, b) => a - b);
  return {
    values: {
      wait_samples: samples.length,
      ...valuesOf(sessionCounters, totals, { moments: samples.length }),
      busy_connections_p95: busy[Math.ceil(0.95 * busy.length) - 1] ?? 0,
      busy_connections_max: busy.at(-1) ?? 0,
    },
    rows: eventRows(moments, totals.busy),
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
