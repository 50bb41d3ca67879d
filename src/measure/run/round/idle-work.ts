import { isMuchLater, laterCpuMs, MOST_OF_ONE_EVENT_MS } from '../../../journal/later-cpu.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';

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

/** An arm that keeps working in the turns of others, and its CPU there and in its own turns, in ms. */
export interface LaterWorker {
  readonly arm: string;
  readonly laterMs: number;
  readonly ownMs: number;
}

/**
 * The arm of a pass that is shown to keep working in the turns of others; null where none is. Of several it is one that did so in
 * its last pass, too, and among these the one with most: up to what one event takes, a single pass shows nothing. `found`: by arm, its work there,
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
  return isMuchLater(laterMs, { ownMs, turnsMs }) ? { laterMs, ownMs } : null;
}
