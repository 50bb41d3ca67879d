import { PgsweepError } from '../../../base/errors.ts';
import type { JournalWriter } from '../../../journal/journal.ts';
import { hasNothing, type Left, lastMeasured, leftBeside, nothingLeft } from '../../../journal/left-records.ts';
import { type LineUp, lineUpAfter, plannedLineUp, scenarioWith } from '../../../journal/line-up.ts';
import { underLoad } from '../../../journal/load-level.ts';
import type { Proposal } from '../../../journal/proposal-records.ts';
import type { LoadLevel, ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Arm, armsOf, plannedArms } from '../../plan/arms.ts';
import type { EmitEvent } from '../events.ts';

/** The judging half's wishes for the rounds that follow. A part that is absent stays as it is. */
export interface NextLineUp {
  /** The cells and load levels that they do without. */
  readonly left?: Left;
  /** The variants in their slots. */
  readonly proposed?: Proposal;
}

/** The arms, cells and load levels of a run's next round; kept from round to round. */
export interface RunLineUp {
  /** Cells and load levels that the next round does without. */
  readonly left: Left;
  /** True where the next round confirms variants that were proposed. */
  readonly confirms: boolean;
  /** Takes a decision that was made after a round. */
  take(next: NextLineUp, after: number): void;
  /** Writes down what changed since the last round. Called as soon as it is certain that a round follows. */
  write(after: number): void;
  /** Leaves out the proposed variant that an error of a round names, and true; false where it names none. */
  refuse(error: unknown, round: number): boolean;
  /** The arms of the next round, and the scenario with their variants. */
  round(): { readonly scenario: ResolvedScenario; readonly arms: readonly Arm[]; readonly lineUp: RunLineUp };
  /** Share of the planned arms that is measured under a load level: 0 of one that left. */
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

interface Before {
  /** The line-up that a run is resumed with. */
  readonly before?: LineUp;
  /** Set where all is measured now, whatever left before. */
  readonly allStay?: boolean;
}

export function createLineUp(
  planned: ResolvedScenario,
  { journal, emit }: { readonly journal: Pick<JournalWriter, 'append'>; readonly emit: EmitEvent },
  { before = plannedLineUp, allStay = false }: Before = {},
): RunLineUp {
  const { load, control } = planned;
  const most = plannedArms(planned).length;
  let written = before;
  let now: LineUp = allStay ? { ...before, left: nothingLeft } : before;
  let scenario = scenarioWith(now, planned);
  let arms: readonly Arm[] = armsOf(scenario);
  const become = (next: LineUp): void => {
    const isOther = next.proposed !== now.proposed;
    now = next;
    if (!isOther) return;
    scenario = scenarioWith(now, planned);
    arms = armsOf(scenario);
  };
  const isMeasured = ({ variant }: Arm, level: LoadLevel): boolean =>
    lastMeasured(now.left, variant.name, level) === Number.POSITIVE_INFINITY;
  const leftOf = (level: LoadLevel): number => underLoad(now.left.cells, level).length;
  const stays = (level: LoadLevel): boolean => underLoad(now.left.levels, level).length === 0;
  const started = (): readonly Arm[] =>
    now.left.cells.length === 0 ? arms : arms.filter((arm) => load.levels.some((level) => isMeasured(arm, level)));
  const lineUp: RunLineUp = {
    get left() {
      return now.left;
    },
    get confirms() {
      return now.proposed?.stage === 'confirm';
    },
    take({ left, proposed }, after) {
      if (proposed !== undefined) become(lineUpAfter(now, { type: 'proposed', round: after, ...proposed }));
      if (left !== undefined && !isSame(left, now.left)) become({ ...now, left });
    },
    write(after) {
      if (now.proposed !== null && now.proposed !== written.proposed) {
        journal.append(now.proposed);
        const { stage, variants, parts = [], changes } = now.proposed;
        const names = variants.map(({ name }) => name).filter((name) => !parts.includes(name));
        const measured = { ...(parts.length > 0 && { parts: parts.length }), ...(changes && { changes }) };
        emit({ kind: 'proposed', stage, variants: names, ...measured });
        written = lineUpAfter(written, now.proposed);
      }
      if (!isSame(now.left, written.left)) {
        const { cells, levels } = now.left;
        journal.append({ type: 'left', round: after, cells, ...(levels.length > 0 && { levels }) });
        emit({ kind: 'arms-left', gone: leftBeside(now.left, written.left), back: leftBeside(written.left, now.left) });
      }
      written = now;
    },
    refuse(error, round) {
      if (!(error instanceof PgsweepError) || !isOwnFault(error)) return false;
      const refused = now.proposed?.variants.find(({ name }) => name === error.variant);
      if (refused === undefined) return false;
      const [variant, reason] = [refused.name, error.message];
      const record = { type: 'refused', round, variant, reason } as const;
      journal.append(record);
      emit({ kind: 'refused', variant, reason });
      become(lineUpAfter(now, record));
      written = now;
      return true;
    },
    round: () => ({ scenario, arms: started(), lineUp }),
    shareOf: (level) => arms.filter((arm) => isMeasured(arm, level)).length / most,
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
  return lineUp;
}

/** True where a variant's settings can be the cause. A full disk or a server that ended is the fault of none. */
function isOwnFault({ code }: PgsweepError): boolean {
  return code === 'scenario' || code === 'target';
}

function isSame(some: Left, others: Left): boolean {
  return hasNothing(leftBeside(some, others)) && hasNothing(leftBeside(others, some));
}
