import { Command, Option } from 'commander';
import { ExitCode } from '../base/errors.ts';
import type { Finding } from '../measure/finding.ts';
import { twinWarnings } from '../measure/plan/scenario-warnings.ts';
import type { Io } from './io.ts';
import { defaultScenario, durationOption } from './options.ts';
import { warningLine } from './progress/warning-words.ts';
import { type StackOptions, stackChoice, withStackOptions } from './stack-options.ts';

interface DoctorOptions extends StackOptions {
  readonly watch: number;
  readonly json?: boolean;
}

export function doctorCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withStackOptions(new Command('doctor'))
    .argument(
      '[scenario]',
      'scenario file, whose servers to check; pgsweep.yaml if this folder has one',
      defaultScenario(),
    )
    .addOption(
      new Option('--watch <duration>', 'how long to watch for other load')
        .argParser(durationOption)
        .default(3000, '3s'),
    )
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nExit code: 0, or 3 if there is a problem: a run would fail, or its numbers would be wrong.\n\nExamples:\n  pgsweep doctor\n  pgsweep doctor my-service.yaml\n  pgsweep doctor --watch 30s\n  pgsweep doctor --json',
    )
    .action(async (file: string, options: DoctorOptions) => {
      const { examine } = await import('../measure/run/doctor/examine.ts');
      const { loadScenario } = await import('../scenario/load-scenario.ts');
      const { watch, json = false } = options;
      const run = { scenario: loadScenario(file), stackChoice: stackChoice(options) };
      for (const warning of twinWarnings(run.scenario)) io.err(`${warningLine(warning)}\n`);
      if (!json) io.err(`watching for other load: ${watch / 1000} s\n`);
      const findings = await examine({ ...run, watchMs: watch, signal: io.signal });
      io.out(json ? `${JSON.stringify({ findings }, null, 2)}\n` : renderFindings(findings));
      if (findings.some(({ state }) => state === 'problem')) finish(ExitCode.unfit);
    });
}

/** A line for each finding, with its advice below, and the verdict. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = (pick: (finding: Finding) => string): number => Math.max(...findings.map((one) => pick(one).length));
  const [states, names] = [width(({ state }) => state), width(({ name }) => name)];
  const indent = ' '.repeat(states + names + 4);
  const lines = findings.flatMap(({ state, name, found, advice }) => {
    const line = `${state.padEnd(states)}  ${name.padEnd(names)}  ${found.replaceAll('\n', `\n${indent}`)}`;
    return advice === null || advice === '' ? [line] : [line, `${indent}${advice}`];
  });
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [problems, warnings, unknowns] = [count('problem'), count('warning'), count('unknown')];
  const verdict =
    problems > 0
      ? `Not fit: ${problems} problem${problems === 1 ? '' : 's'}. A sweep would fail, or be marked unfit.`
      : `Fit${unknowns > 0 ? ' as far as this machine tells' : ''}${warnings > 0 ? `, with ${warnings} warning${warnings === 1 ? '' : 's'}` : ''}.`;
  return `${lines.join('\n')}\n\n${verdict}\n`;
}
