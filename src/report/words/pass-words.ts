import { formatCount, formatDelta, plural, signed } from '../../analysis/format.ts';
import type { Average } from '../../analysis/judge/averages.ts';
import { isCertain } from '../../analysis/read/rounds/carry-over.ts';
import type { LiveLevel } from '../../analysis/read/rounds/live-blocks.ts';
import type { LevelPasses } from '../../analysis/read/rounds/passes.ts';
import { present } from '../../base/present.ts';
import { countsBy } from './note-words.ts';

/** How the arms of a load level took turns, in a sentence; none for a journal of version 0.1. */
export function turnWords([level]: readonly LevelPasses[]): string[] {
  if (level === undefined) return [];
  const { turnMs, turnsPerArm, sliceMs, gapMaxMs, reopened } = level;
  const parts = present([
    turnMs && turnsPerArm && `Turns of ${range(turnMs)} ms, ${range(turnsPerArm)} an arm a round${together(sliceMs)}`,
    gapMaxMs !== null && `at most ${(gapMaxMs / 1000).toFixed(1)} s between two of an arm`,
    reopened > 0 && `${plural(reopened, 'connection')} opened again that the service had closed while idle`,
  ]);
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

/** How settings were switched live under a load level; nothing where arms were processes of their own. */
export function liveWords([level]: readonly LiveLevel[]): string[] {
  if (level === undefined) return [];
  const { starts, blocks, switches, seen, switchMs, settleMs, noise, blocksDeserved, carryOver } = level;
  const of = `${blocks.least === blocks.most ? '' : `${blocks.least} to `}${plural(blocks.most, 'block')}`;
  const deserved = blocksDeserved === null ? '' : `, so that a start deserves about ${plural(blocksDeserved, 'block')}`;
  const carried = carryOver.filter(isCertain);
  return present([
    `Switched live: ${plural(starts, 'start')} of one process, each of ${of} in which every setting had a turn once forwards and once backwards. A change is judged by starts.`,
    `${plural(switches, 'switch', 'switches')}, each ${seen ? 'seen before its turn' : 'answered with 2xx before its turn, which is all that was seen of it (verify: would see more)'}, ${switchMs.toFixed(0)} ms in the mean, and ${settleMs} ms of load after each that were not counted.`,
    noise &&
      `What a setting changes differs by ${noise.betweenStartsPercent.toFixed(1)} % between starts and ${noise.betweenBlocksPercent.toFixed(1)} % between the blocks of one${deserved}.`,
    ...carried.map(
      ({ variant, percent, interval }) =>
        `Turns of ${variant} directly after another setting answered ${formatDelta(percent)} against those after itself (${interval?.map((end) => signed(end, 1)).join(' to ')} %): it is not switched in full when its turns begin to count, and its change is off by about as much. Verdicts that would not stand with that are \`unfit\`; a longer load.settle helps, or an arm of its own (without live).`,
    ),
  ]);
}

/** Notes on how the arms of a load level were measured: void slices, arms that were not steady. */
export function validityNotes(averages: readonly Average[], nameOf: (average: Average) => string): string[] {
  const voided = averages.flatMap((average) => {
    const reasons = countsBy(average.voided);
    return reasons === '' ? [] : [`${nameOf(average)} ${reasons}`];
  });
  const unsteady = averages.flatMap((average) =>
    average.notSteady === 0 ? [] : [`${nameOf(average)} in ${plural(average.notSteady, 'round')}`],
  );
  return present([
    voided.length > 0 && `Void slices, by reason: ${voided.join('; ')}.`,
    unsteady.length > 0 &&
      `Not steady when the warm-up ended (the rate still ran away from the other arms'; in journals of version 0.1: was not flat): ${unsteady.join('; ')}.`,
  ]);
}
