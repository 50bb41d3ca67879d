import { type Command, Option } from 'commander';
import type { GateChoice } from '../../judge/verdicts/gate.ts';

/** Options about gates. */
export interface GateOptions {
  /** As written: `p99_ms < +10%`. */
  readonly gate?: readonly string[];
  readonly gateUnclear: GateChoice['unclear'];
}

/** Adds the gates of a command, whose exit code is 4 if one fails. */
export function withGateOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--gate <condition>',
        "condition for every change, such as 'p99_ms < +10%', or for the decision, 'recommended == pool=10'; exit code 4 if it fails (repeatable)",
      ).argParser((text: string, before: readonly string[] = []) => [...before, text]),
    )
    .addOption(
      new Option('--gate-unclear <outcome>', 'how to treat a gate that is still undecided')
        .choices(['fail', 'pass'])
        .default('fail'),
    );
}
