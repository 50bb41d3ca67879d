import { type Command, Option } from 'commander';
import { ExitCode } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { Note } from '../../judge/notes.ts';
import type { Summary } from '../../judge/summary.ts';
import { type Gate, type GateChoice, parseGate, requireGated } from '../../judge/verdicts/gate.ts';
import type { GateResult } from '../../judge/verdicts/gates.ts';
import { inOrder } from '../../judge/verdicts/variant-order.ts';
import { gateReasons } from '../../report/words/gate-words.ts';
import type { Io } from '../io.ts';

/** Options about gates. */
export interface GateOptions {
  readonly gate?: readonly Gate[];
  readonly gateUnclear: GateChoice['unclear'];
}

/** The options of every command whose exit code may tell whether changes are within limits. */
export function withGateOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--gate <condition>',
        "what has to hold of every change, such as 'p99_ms < +10%', or of the decision, 'recommended == pool=10', else exit code 4 (repeatable)",
      ).argParser((text: string, before: readonly Gate[] = []) => [...before, parseGate(text)]),
    )
    .addOption(
      new Option('--gate-unclear <outcome>', 'what a gate does that neither passes nor fails')
        .choices(['fail', 'pass'])
        .default('fail'),
    );
}

export function gateChoice({ gate = [], gateUnclear }: GateOptions): GateChoice {
  return { gates: gate, unclear: gateUnclear };
}

/** Throws PgsweepError `usage` for a gate of a variant, a setting or a load level that the scenario does not have. */
export function requireGatesOf({ gates }: GateChoice, scenario: ResolvedScenario): void {
  const { variants, control, load } = scenario;
  const others = variants.flatMap(({ name }) => (name === control ? [] : [name]));
  requireGated(gates, { control, variants: others, loads: load.levels, settings: inOrder(scenario) });
}

/** Says on stderr which gates do not pass and why. Returns the exit code that follows from them. */
export function finishGates(results: readonly GateResult<Note>[], io: Pick<Io, 'err'>): ExitCode {
  for (const reason of gateReasons(results)) io.err(`${reason}\n`);
  return results.some(({ failed }) => failed) ? ExitCode.gate : ExitCode.done;
}

/** Exit code of a command that judged a session. An unfit one comes first: then no change has a verdict. */
export function finishSession({ gates, session }: Pick<Summary, 'gates' | 'session'>, io: Pick<Io, 'err'>): ExitCode {
  const code = finishGates(gates, io);
  return session.verdict === 'unfit' ? ExitCode.unfit : code;
}
