import type { Left, LeftCell, LeftLevel } from '../../../journal/left-records.ts';
import { loadKey, traitsOf, underLoad } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RunData } from '../../read/run-data.ts';
import { isVoidUnder } from '../void-levels.ts';
import type { Decision } from './decide.ts';

/** A load level, and the settings that need not be measured under it. */
interface Level {
  readonly decision: Decision;
  readonly before: readonly LeftCell[];
  /** Those that left before for a setting that may still be taken, and those that may leave now. */
  readonly may: ReadonlySet<string>;
}

/** Settings that cannot win, and load levels that are decided: they are not measured from the next round on. */
export function leaving(data: RunData, decisions: readonly Decision[]): Left {
  const levels = leavingLevels(data, decisions);
  const isGone = ({ load }: { readonly load: LoadLevel }): boolean => underLoad(levels, load).length > 0;
  const before = data.left.cells.filter(isGone);
  return {
    cells: [
      ...before,
      ...leavingCells(
        data,
        decisions.filter((one) => !isGone(one)),
      ),
    ],
    levels,
  };
}

/**
 * The load levels that need no further round: the setting to take is decided there, and so is each setting that other levels would take
 * as things stand, since it may be the one for all. A level that left has the decision of its last look, so leaving takes no error: later
 * looks would only add to it. It is measured again where another setting may be the one for all and is not decided there. One level at
 * least stays.
 */
function leavingLevels(data: RunData, decisions: readonly Decision[]): LeftLevel[] {
  const after = data.rounds.at(-1) ?? 0;
  const wanted = new Set(
    decisions.flatMap(({ answer }) => (answer.state === 'none' ? [] : [answer.tested.setting.variant])),
  );
  const done = decisions.filter(
    (decision) =>
      traitsOf(decision.load).isTimed &&
      !isVoidUnder(data, decision.load) &&
      [...wanted].every((setting) => isDecided(decision, setting)),
  );
  if (done.length === decisions.length) return [];
  return done.map(({ load }) => underLoad(data.left.levels, load)[0] ?? { load, after });
}

/** True where it is known whether a setting may be taken for all load levels, as far as this one goes. */
function isDecided({ answer, settings, beyondMargin, order, test }: Decision, variant: string): boolean {
  if (answer.state !== 'decided') return false;
  const setting = settings.find((one) => one.variant === variant);
  if (setting === undefined || beyondMargin.has(variant)) return true;
  // The setting for all load levels is no cheaper than the one to take here.
  const isCheaper = order !== 'listed' && settings.indexOf(setting) < settings.indexOf(answer.tested.setting);
  return isCheaper || setting === answer.tested.setting || test(setting).open.length === 0;
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
function leavingCells(data: RunData, decisions: readonly Decision[]): LeftCell[] {
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
  const before = underLoad(data.left.cells, decision.load);
  return { decision, before, may: new Set([...decision.left, ...decision.mayLeave]) };
}

function cellKey(variant: string, { load }: Decision): string {
  return JSON.stringify([variant, loadKey(load)]);
}
