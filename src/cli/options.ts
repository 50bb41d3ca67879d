import { existsSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDurationMs, unitAsked } from '../base/units.ts';
import { sampleFile, shippedFile } from '../scenario/sample-file.ts';

/** File that `init` writes. */
export const OWN_SCENARIO = 'pgsweep.yaml';

/** The scenario that is run when none is named: that of the working folder, else the one that comes with pgsweep. */
export function defaultScenario(sample?: string): string {
  return existsSync(OWN_SCENARIO) ? OWN_SCENARIO : sampleFile(sample);
}

/** The scenario that is searched when none is named. */
export function tuneScenario(): string {
  return defaultScenario('scenarios/tune-pool.yaml');
}

/** The text of the scenario that comes with pgsweep, without its line for editors. */
export function sampleScenario(): string {
  return readFileSync(shippedFile(), 'utf8').replace(/^# yaml-language-server: .*\n/, '');
}

/** As in a scenario: timers count to 24 days. */
const LONGEST_HOURS = 480;

/** For commander: `10m` to milliseconds. */
export function durationOption(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === null || durationMs <= 0) {
    const asked = unitAsked(text) ?? 'expected a duration such as 90s or 10m';
    throw new InvalidArgumentError(`${asked.replace('expected', 'Expected')}.`);
  }
  if (durationMs > LONGEST_HOURS * 3_600_000) throw new InvalidArgumentError(`Expected at most ${LONGEST_HOURS}h.`);
  return durationMs;
}

/** For commander: a whole number from 1. */
export function countOption(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(text);
}

/** For commander: a whole number from 0. */
export function seedOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0.');
  return Number(text);
}

/** Adds `--rounds`, `--budget` and `--settle-within`. */
export function withLengthOptions(command: Command): Command {
  const budget = 'time limit of a session; a resumed run has it again (default: from the scenario, else 10m)';
  return command
    .option('--rounds <n>', 'run exactly n rounds', countOption)
    .option('--budget <duration>', budget, durationOption)
    .addOption(
      new Option('--settle-within <duration>', 'longer time limit while more rounds should settle what is open')
        .argParser(durationOption)
        .conflicts(['rounds', 'quick']),
    );
}
