import { formatCount, plural } from '../../analysis/format.ts';
import type { LevelPasses } from '../../analysis/read/rounds/passes.ts';

/** How the arms of a load level took turns, in a sentence; none for a journal of version 0.1. */
export function turnWords([level]: readonly LevelPasses[]): string[] {
  if (level === undefined) return [];
  const { turnMs, turnsPerArm, sliceMs, gapMaxMs, reopened } = level;
  const parts = [
    ...(turnMs === null || turnsPerArm === null
      ? []
      : [`Turns of ${range(turnMs)} ms, ${range(turnsPerArm)} an arm a round${together(sliceMs)}`]),
    ...(gapMaxMs === null ? [] : [`at most ${(gapMaxMs / 1000).toFixed(1)} s between two of an arm`]),
    ...(reopened === 0
      ? []
      : [`${plural(reopened, 'connection')} opened again that the service had closed while idle`]),
  ];
  return parts.length === 0 ? [] : [`${parts.join('; ')}.`];
}

/** The range of slice lengths, where the run has set them by itself. */
function together(sliceMs: LevelPasses['sliceMs']): string {
  if (sliceMs === null || sliceMs.least === sliceMs.most) return '';
  return `, together ${(sliceMs.least / 1000).toFixed(1)} to ${(sliceMs.most / 1000).toFixed(1)} s`;
}

export function range({ least, most }: { readonly least: number; readonly most: number }): string {
  return least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
}
