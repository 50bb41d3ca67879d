import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { valueAt } from '../../base/json-path.ts';
import { openLedger } from '../../base/process/ledger.ts';
import { startReaper } from '../../base/process/reaper.ts';
import type { AgainstTaken } from '../../journal/run/against-record.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { compared } from '../../measure/against/compared.ts';
import { ignoredIn } from '../../measure/against/ignored.ts';
import { pathIn } from '../../measure/against/repository.ts';
import { planSides, takeSides } from '../../measure/against/take-sides.ts';
import { againstLines } from '../../report/words/against.ts';
import { parseYaml } from '../../scenario/load-scenario.ts';
import type { Io } from '../io.ts';

/** The scenario with the commits and the folder as variants, for a plan: nothing is copied. As it is where it compares none. */
export async function plannedAgainst(scenario: ResolvedScenario): Promise<ResolvedScenario> {
  return scenario.against === undefined ? scenario : compared(scenario, await planSides(scenario));
}

/** The scenario with its snapshots as variants; as it is where it compares none. Throws what `takeSides` throws. */
export async function preparedAgainst(
  scenario: ResolvedScenario,
  { signal }: Pick<Io, 'signal'>,
  onProgress: (message: string) => void,
): Promise<ResolvedScenario> {
  if (scenario.against === undefined) return scenario;
  const planned = { ...scenario.against, taken: await planSides(scenario) };
  for (const line of againstLines({ against: planned })) onProgress(line);
  const reaper = startReaper({ ledger: openLedger(null) });
  try {
    const taken = await takeSides(scenario, { reaper, env: process.env, onProgress, signal });
    return compared(scenario, withCommands(scenario, taken));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    await reaper.close();
  }
}

/** Makes of a scenario, as its file has it, what a recorded run had made of it. */
export function comparedAgain({ against }: ResolvedScenario): (scenario: ResolvedScenario) => ResolvedScenario {
  if (against?.taken === undefined) return (scenario) => scenario;
  const { taken } = against;
  return (scenario) => compared({ ...scenario, against }, taken);
}

/** The commits with the commands of their own scenario files: a branch may have renamed what starts the service. */
function withCommands({ file, target }: ResolvedScenario, taken: AgainstTaken): AgainstTaken {
  const inside = pathIn(taken.repository, resolve(file));
  if (inside === null || target.kind !== 'command' || !existsSync(file)) return taken;
  const commits = taken.commits.map((one) => {
    const command = commandIn(join(one.folder, inside));
    return command === null || command === target.command ? one : { ...one, command };
  });
  return { ...taken, commits };
}

/** `target.command` of a scenario file; null where there is none. */
function commandIn(file: string): string | null {
  try {
    const command = valueAt(parseYaml(readFileSync(file, 'utf8'), file).document.toJS(), ['target', 'command']);
    return typeof command === 'string' ? command : null;
  } catch {
    return null;
  }
}

/** An error of a run, with the ignored files that the service may have missed. */
export async function withCarryHint(error: unknown, { against }: ResolvedScenario): Promise<unknown> {
  if (against?.taken === undefined || !(error instanceof PgsweepError) || error.code !== 'target') return error;
  const names = await ignoredIn(against.taken, error.message);
  if (names.length === 0) return error;
  const hint = `git ignores ${names.join(', ')}, so no snapshot has it. If the service needs it: --carry ${names[0]}, or --prepare with the command that makes it.`;
  return new PgsweepError(error.code, error.message, {
    hint: error.hint === undefined ? hint : `${error.hint}\n${hint}`,
    cause: error,
  });
}
