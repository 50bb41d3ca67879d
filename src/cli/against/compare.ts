import { PgsweepError } from '../../base/errors.ts';
import { present } from '../../base/present.ts';
import { openLedger } from '../../base/process/ledger.ts';
import { startReaper } from '../../base/process/reaper.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { compared } from '../../measure/against/compared.ts';
import { ignoredIn } from '../../measure/against/ignored.ts';
import { withSides } from '../../measure/against/take-sides.ts';
import { againstLines } from '../../report/words/against.ts';
import type { Io } from '../io.ts';
import { progressFor } from '../progress/progress-for.ts';
import { withCommands } from './side-commands.ts';

/** The scenario with the commits and the folder as variants, for a plan: nothing is copied. A scenario that compares no commits is returned unchanged. */
export async function plannedAgainst(scenario: ResolvedScenario): Promise<ResolvedScenario> {
  return scenario.against === undefined
    ? scenario
    : withSides(scenario, {}, async (taken) => compared(scenario, taken));
}

/**
 * The scenario of `file`, null where options replace the file, with its snapshots as variants; unchanged where it compares no
 * commits. Throws what `withSides` and `MakeSides` throw.
 */
export async function preparedAgainst(
  scenario: ResolvedScenario,
  file: string | null,
  options: Parameters<typeof progressFor>[0],
  io: Io,
): Promise<ResolvedScenario> {
  if (scenario.against === undefined) return scenario;
  const { signal } = io;
  const progress = progressFor(options, io);
  const onProgress = (message: string): void => progress.on({ kind: 'preparing', message });
  const reaper = startReaper({ ledger: openLedger(null) });
  try {
    return await withSides(scenario, reaper.mark, async (taken, make) => {
      for (const line of againstLines(compared(scenario, taken))) onProgress(line);
      await make({ reaper, env: process.env, onProgress, signal });
      // A command line names one command, for all sides.
      return compared(scenario, file === null ? taken : withCommands(scenario, taken));
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    progress.close();
    await reaper.close();
  }
}

/** Gives a scenario from its file the commits that a recorded run compared. */
export function comparedAgain({ against }: ResolvedScenario): (scenario: ResolvedScenario) => ResolvedScenario {
  if (against?.taken === undefined) return (scenario) => scenario;
  const { taken } = against;
  return (scenario) => compared({ ...scenario, against }, taken);
}

/** An error of a run, with the ignored files that the service may have missed. */
export async function withCarryHint(error: unknown, { against }: ResolvedScenario): Promise<unknown> {
  if (against?.taken === undefined || !(error instanceof PgsweepError) || error.code !== 'target') return error;
  const names = await ignoredIn(against.taken, error.message);
  if (names.length === 0) return error;
  const hint = `git ignores ${names.join(', ')}, so no snapshot has it. If the service needs it: --carry ${names[0]}, or --prepare with the command that makes it.`;
  return new PgsweepError(error.code, error.message, { hint: present([error.hint, hint]).join('\n'), cause: error });
}
