import type { TurnWorkRecord } from '../../../journal/slice-record.ts';

/**
 * An arm that does more than this share of its own work between its turns does it in the turns of others: a queue that
 * is emptied after the answers, say.
 */
const MOST_LATER_SHARE = 0.05;
/**
 * Least share of a CPU, against the arm's own turns, that matters: less moves no other arm by a hundredth, however little the
 * arm does itself.
 */
const LEAST_LATER_CPU = 0.01;
/**
 * So much CPU between its turns may be one event of an arm that does nothing there: a collection of garbage, or code that is compiled
 * late, which took 10 to 33 ms. It is no work of every pass, so up to it the same arm must be found in two passes running.
 */
const MOST_OF_ONE_EVENT_MS = 60;
/**
 * The least that counts as resting: a share of one CPU. A bare Node server used 0.01 to 0.05 % between turns, one with
 * prom-client 0.30 to 0.37 %, with 2, 5 and 12 arms alike.
 */
const LEAST_RESTING_SHARE = 0.0005;
/**
 * Share of a CPU that an arm may use at rest where it was never left alone. Measured on a VM whose neighbours took a sixth of
 * its CPU: 1.0 to 1.9 %.
 */
const UNKNOWN_RESTING_SHARE = 0.02;
/** An arm that rests between turns may use this much more than when it was left alone: its caches are cold. */
const MOST_OF_ALONE = 1.5;

/** CPU time of an arm in a piece of the time in which all arms were left alone. */
export interface AlonePiece {
  readonly cpuMs: number;
  readonly durationMs: number;
}

/** Pieces of time as one. */
export function addedUp(pieces: readonly AlonePiece[]): AlonePiece {
  return pieces.reduce(
    (all, { cpuMs, durationMs }) => ({ cpuMs: all.cpuMs + cpuMs, durationMs: all.durationMs + durationMs }),
    { cpuMs: 0, durationMs: 0 },
  );
}

/**
 * The share of one CPU that an arm uses at rest: over all pieces but the one with most of it. What comes once after load,
 * as a garbage collection of 20 ms does, is no use at rest, and would be taken off for each of them.
 */
export function restingShare(pieces: readonly AlonePiece[]): number {
  const calmer = [...pieces].sort((a, b) => a.cpuMs / a.durationMs - b.cpuMs / b.durationMs).slice(0, -1);
  const { cpuMs, durationMs } = addedUp(calmer);
  return durationMs === 0 ? 0 : cpuMs / durationMs;
}

/** CPU time of an arm between its turns beyond its use at rest, in ms. */
function laterCpuMs(idleCpuMs: number, idleMs: number, aloneShare: number | undefined): number {
  const alone = aloneShare ?? UNKNOWN_RESTING_SHARE / MOST_OF_ALONE;
  return Math.max(0, idleCpuMs - MOST_OF_ALONE * Math.max(LEAST_RESTING_SHARE, alone) * idleMs);
}

/** An arm that keeps working in the turns of others, and its CPU there and in its own turns, in ms. */
export interface LaterWorker {
  readonly arm: string;
  readonly laterMs: number;
  readonly ownMs: number;
}

/**
 * The arm of a pass that is shown to keep working in the turns of others; null where none is. Of several it is one that did so in
 * its last pass, too, and among these the one with most: the others may have had an event. `found`: by arm, its work there,
 * null where that is too little to matter. `suspects`: arms whose last pass had some; it is brought up to date.
 */
export function shownToWorkLater(
  found: ReadonlyMap<string, LaterWork | null>,
  suspects: Set<string>,
): LaterWorker | null {
  const shown: (LaterWorker & { readonly again: boolean })[] = [];
  for (const [arm, work] of found) {
    const again = suspects.has(arm);
    if (work !== null && (work.laterMs > MOST_OF_ONE_EVENT_MS || again)) shown.push({ arm, ...work, again });
    if (work === null) suspects.delete(arm);
    else suspects.add(arm);
  }
  const [clearest] = shown.sort((a, b) => Number(b.again) - Number(a.again) || b.laterMs - a.laterMs);
  return clearest === undefined ? null : { arm: clearest.arm, laterMs: clearest.laterMs, ownMs: clearest.ownMs };
}

type LaterWork = Omit<LaterWorker, 'arm'>;

/**
 * The work of an arm while others have their turns, where it is enough to matter; null where it is not, or cannot be seen. Its use at rest grows with the
 * time between its turns, and so with the number of arms: it is taken off. The rest is a share of the arm's own work, and the
 * limit is the same for any number of arms. `aloneShare`: its share of one CPU at rest when all arms were left alone;
 * undefined where that is not known. `turnsMs`: length of its own turns together.
 */
export function workWhenIdle(
  { serviceCpuMs, postgresCpuMs, idleCpuMs, idleMs }: TurnWorkRecord,
  aloneShare: number | undefined,
  turnsMs: number,
): LaterWork | null {
  if (serviceCpuMs === null || idleCpuMs === null) return null;
  const ownMs = serviceCpuMs + (postgresCpuMs ?? 0);
  const laterMs = laterCpuMs(idleCpuMs, idleMs, aloneShare);
  return laterMs > Math.max(MOST_LATER_SHARE * ownMs, LEAST_LATER_CPU * turnsMs) ? { laterMs, ownMs } : null;
}
