import { ExitCode, PgsweepError } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { Note } from '../../judge/notes.ts';
import type { Summary } from '../../judge/summary.ts';
import { type GateChoice, parseGate, requireGated } from '../../judge/verdicts/gate.ts';
import type { GateResult } from '../../judge/verdicts/gates.ts';
import { inOrder } from '../../judge/verdicts/variant-order.ts';
import { gateReasons } from '../../report/words/gate-words.ts';
import type { Io } from '../io.ts';
import type { GateOptions } from './gate-option.ts';

/** The gates of a command line. Throws PgsweepError `usage` for a text that is no gate. */
export function gateChoice({ gate = [], gateUnclear }: GateOptions): GateChoice {
  return { gates: gate.map(parseGate), unclear: gateUnclear };
}

/** Throws PgsweepError `usage` for a gate of a variant, a setting or a load level that the scenario does not have, and for any gate of a search. */
export function requireGatesOf({ gates }: GateChoice, scenario: ResolvedScenario): void {
  const { variants, control, load, tune } = scenario;
  const [first] = gates;
  if (tune !== undefined && first !== undefined) {
    throw new PgsweepError('usage', `"${first.text}": a search (tune) chooses its own settings, so it has no gates`, {
      hint: 'Leave the gate out. To gate a setting that the search found, make it a variant of a scenario for pgsweep sweep.',
    });
  }
  const others = variants.flatMap(({ name }) => (name === control ? [] : [name]));
  requireGated(gates, { control, variants: others, loads: load.levels, settings: inOrder(scenario) });
}

/** Says on stderr which gates do not pass and why. Returns the exit code that follows from them. */
export function finishGates(results: readonly GateResult<Note>[], io: Pick<Io, 'err'>): ExitCode {
  for (const reason of gateReasons(results)) io.err(`${reason}\n`);
  return results.some(({ failed }) => failed) ? ExitCode.gate : ExitCode.done;
}

/** Exit code of a command that judged a session. An unfit one comes first, and a gate on an unfit load level: then there is no verdict. */
export function finishSession({ gates, session }: Pick<Summary, 'gates' | 'session'>, io: Pick<Io, 'err'>): ExitCode {
  const code = finishGates(gates, io);
  const isUnfit = session.verdict === 'unfit' || gates.some(({ notes }) => notes.some(({ kind }) => kind === 'unfit'));
  return isUnfit ? ExitCode.unfit : code;
}
