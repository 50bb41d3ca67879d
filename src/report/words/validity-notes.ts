import { plural } from '../../analysis/format.ts';
import type { Average } from '../../analysis/judge/averages.ts';

/** Notes on how the arms of a load level were measured: void slices, arms that were not steady. */
export function validityNotes(averages: readonly Average[], nameOf: (average: Average) => string): string[] {
  const voided = averages.flatMap((average) => {
    const reasons = Object.entries(average.voided).map(([reason, count]) => `${reason} ${count}`);
    return reasons.length === 0 ? [] : [`${nameOf(average)} ${reasons.join(', ')}`];
  });
  const unsteady = averages.flatMap((average) =>
    average.notSteady === 0 ? [] : [`${nameOf(average)} in ${plural(average.notSteady, 'round')}`],
  );
  return [
    ...(voided.length === 0 ? [] : [`Void slices, by reason: ${voided.join('; ')}.`]),
    ...(unsteady.length === 0
      ? []
      : [
          `Not steady when the warm-up ended (the rate still ran away from the other arms'; in journals of version 0.1: was not flat): ${unsteady.join('; ')}.`,
        ]),
  ];
}
