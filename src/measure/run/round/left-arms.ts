import type { LeftCell } from '../../../journal/left-records.ts';
import { underLoad } from '../../../journal/load-level.ts';
import type { LoadLevel, ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { Arm } from '../../plan/arms.ts';

/** Which cells a run does without from some round on; kept from round to round. */
export interface LeftArms {
  readonly cells: readonly LeftCell[];
  /** From now on it is these. */
  take(cells: readonly LeftCell[]): void;
  /** The arms that a round starts: those that are measured under some load level, and all of the control. */
  started(): readonly Arm[];
  /** Share of all arms that is measured under a load level. */
  shareOf(load: LoadLevel): number;
  /**
   * Load levels in the order of a round. All arms of a pass must have had the same load before it, so that those come last which
   * most have left: who has left one of them has left all that follow.
   */
  inOrder(levels: readonly LoadLevel[]): LoadLevel[];
  /** The groups of a load level, by their places, without the arms that left. One that is left with the control alone has no pass, unless all are. */
  under<One extends { readonly arm: Arm }>(load: LoadLevel, groups: readonly (readonly One[])[]): [number, One[]][];
}

export function createLeftArms(
  { load, control }: Pick<ResolvedScenario, 'load' | 'control'>,
  arms: readonly Arm[],
  before: readonly LeftCell[] = [],
): LeftArms {
  let cells = before;
  const isMeasured = ({ variant }: Arm, level: LoadLevel): boolean =>
    !underLoad(cells, level).some((cell) => cell.variant === variant.name);
  const leftOf = (level: LoadLevel): number => underLoad(cells, level).length;
  return {
    get cells() {
      return cells;
    },
    take(next) {
      cells = next;
    },
    started: () =>
      cells.length === 0 ? arms : arms.filter((arm) => load.levels.some((level) => isMeasured(arm, level))),
    shareOf: (level) => arms.filter((arm) => isMeasured(arm, level)).length / arms.length,
    inOrder: (levels) => [...levels].sort((a, b) => leftOf(a) - leftOf(b)),
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
