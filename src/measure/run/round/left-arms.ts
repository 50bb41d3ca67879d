import { type Left, lastMeasured, nothingLeft } from '../../../journal/left-records.ts';
import { underLoad } from '../../../journal/load-level.ts';
import type { LoadLevel, ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { Arm } from '../../plan/arms.ts';

/** Which cells and load levels a run does without from some round on; kept from round to round. */
export interface LeftArms {
  readonly now: Left;
  /** From now on it is this. */
  take(left: Left): void;
  /** The arms that a round starts: those that are measured under some load level, and all of the control. */
  started(): readonly Arm[];
  /** Share of all arms that is measured under a load level: 0 of one that left. */
  shareOf(load: LoadLevel): number;
  /**
   * Load levels that are measured, in the order of a round. All arms of a pass must have had the same load before it, so that those come last which
   * most have left: who has left one of them has left all that follow.
   */
  inOrder(levels: readonly LoadLevel[]): LoadLevel[];
  /** True unless all load levels of that workload left. */
  warms(workload: LoadLevel['workload']): boolean;
  /** The groups of a load level, by their places, without the arms that left. One that is left with the control alone has no pass, unless all are. */
  under<One extends { readonly arm: Arm }>(load: LoadLevel, groups: readonly (readonly One[])[]): [number, One[]][];
}

export function createLeftArms(
  { load, control }: Pick<ResolvedScenario, 'load' | 'control'>,
  arms: readonly Arm[],
  before: Left = nothingLeft,
): LeftArms {
  let left = before;
  const isMeasured = ({ variant }: Arm, level: LoadLevel): boolean =>
    lastMeasured(left, variant.name, level) === Number.POSITIVE_INFINITY;
  const leftOf = (level: LoadLevel): number => underLoad(left.cells, level).length;
  const stays = (level: LoadLevel): boolean => underLoad(left.levels, level).length === 0;
  return {
    get now() {
      return left;
    },
    take(next) {
      left = next;
    },
    started: () =>
      left.cells.length === 0 ? arms : arms.filter((arm) => load.levels.some((level) => isMeasured(arm, level))),
    shareOf: (level) => arms.filter((arm) => isMeasured(arm, level)).length / arms.length,
    inOrder: (levels) => levels.filter(stays).sort((a, b) => leftOf(a) - leftOf(b)),
    warms(workload) {
      const own = load.levels.filter((level) => level.workload === workload);
      // Levels that a run looks for are no scenario's.
      return own.length === 0 || own.some(stays);
    },
    under(level, groups) {
      const measured = groups.map((members, group): [number, (typeof members)[number][]] => [
        group,
        members.filter(({ arm }) => isMeasured(arm, level)),
      ]);
      const withOthers = measured.filter(([, members]) => members.some(({ arm }) => arm.variant.name !== control));
      return withOthers.length > 0 ? withOthers : measured.slice(0, 1);
    },
  };
}
