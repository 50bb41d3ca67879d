import type { LeftCell } from '../../../journal/left-records.ts';
import { loadKey, traitsOf, underLoad } from '../../../journal/load-level.ts';
import type { RunData } from '../../read/run-data.ts';
import type { Decision } from './decide.ts';

/** A load level, and the settings that need not be measured under it. */
interface Level {
  readonly decision: Decision;
  readonly before: readonly LeftCell[];
  /** Those that left before for a setting that may still be taken, and those that may leave now. */
  readonly may: ReadonlySet<string>;
}

/**
 * The cells that are not measured from the next round on. A setting leaves a load level when it is shown to be worse
 * than the best estimate by more than the margin. That goes by the level of `higher` and `lower` at this look, so it
 * takes no error: the best of all would have to look worse than another by more than the margin, and has
 * half of the error for looking worse at all (Kim and Nelson, A fully sequential procedure for indifference-zone
 * selection in simulation, 2001, drop systems in this way). It comes back where the setting that it left for fails.
 *
 * All arms of a pass must have had the same load before it. So load levels are in an order, with the levels that most
 * have left at the end, and a setting leaves a level only together with all that come after it. The control stays.
 */
export function leavingCells(data: RunData, decisions: readonly Decision[]): LeftCell[] {
  const { control, variants } = data.scenario;
  const after = data.rounds.at(-1) ?? 0;
  const levels = decisions.flatMap((decision) => (traitsOf(decision.load).isTimed ? [levelOf(data, decision)] : []));
  // Sorting is stable: of equal ones the last in the scenario, mostly the heaviest, is left first.
  levels.sort((a, b) => a.before.length - b.before.length || a.may.size - b.may.size);
  const gone = new Set(
    variants.flatMap(({ name }) => {
      if (name === control) return [];
      const stays = levels.findLastIndex(({ may }) => !may.has(name));
      return levels.slice(stays + 1).map(({ decision }) => cellKey(name, decision));
    }),
  );
  return levels.flatMap(({ decision, before, may }) =>
    [...may].flatMap((variant): LeftCell[] => {
      const { load, best } = decision;
      if (!gone.has(cellKey(variant, decision)) || best === null) return [];
      return [before.find((cell) => cell.variant === variant) ?? { variant, load, after, worseThan: best }];
    }),
  );
}

function levelOf(data: RunData, decision: Decision): Level {
  const before = underLoad(data.left, decision.load);
  return { decision, before, may: new Set([...decision.left, ...decision.mayLeave]) };
}

function cellKey(variant: string, { load }: Decision): string {
  return JSON.stringify([variant, loadKey(load)]);
}
