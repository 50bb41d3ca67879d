import { present } from '../../base/present.ts';
import { shellWord } from '../../base/shell-word.ts';
import { visible } from '../../base/visible.ts';
import type { Provenance } from '../../journal/records.ts';
import type { Against } from '../../journal/run/against-record.ts';
import type { Elsewhere } from '../../journal/service/elsewhere.ts';
import type { AskedSummary } from '../../judge/verdicts/asked.ts';

/** Stands for the run's folder in commands: a summary does not know where it lies. */
export const RUN = 'RUN';

/** The place of the folder: a file called RUN, or a flag, stands elsewhere. */
const PLACE = new RegExp(`^(pgsweep (?:(?:sweep|tune) --resume|merge)) ${RUN}(?= |$)`);

/** The command that resumes the run, with these options. */
export function resume(options: string): string {
  return `pgsweep sweep --resume ${RUN} ${options}`.trim();
}

/**
 * The command that measures a scenario file, against the same commits where there are any: it is not known whether the file names
 * them. Its name comes from a journal, which may be anyone's.
 */
export function measure(file: string, against?: Against): string {
  const { refs = [], tip = false, carry = [], prepare = null, own = [] } = against ?? {};
  const options = [
    ...refs.map((ref) => ` --against ${shellWord(ref)}`),
    ...(tip ? [' --tip'] : []),
    ...carry.map((path) => ` --carry ${shellWord(path)}`),
    ...(prepare === null ? [] : [` --prepare ${shellWord(prepare)}`]),
    ...own.map((what) => ` --own ${what}`),
  ];
  return `pgsweep sweep ${shellWord(file.startsWith('-') ? `./${file}` : file)}${options.join('')}`;
}

/** The check of a run's scenario, as it stands in texts that do not know the file. */
export const CHECK = 'pgsweep plan --check SCENARIO';

/** A text with the run's scenario in its commands. */
export function withScenario(text: string, { scenarioFile, against }: Measured): string {
  return text.replaceAll(CHECK, () => measure(scenarioFile, against).replace('pgsweep sweep', 'pgsweep plan --check'));
}

/** A text with the run's folder in its commands, to be read: a command to be copied takes it from `commandFor`. */
export function withFolder(text: string, folder: string): string {
  return text.replaceAll(`pgsweep report ${RUN} `, () => `pgsweep report ${shellWord(folder)} `);
}

/** A scenario's file as a record names it, and as the reader sees it from another folder. */
export interface SeenScenario {
  readonly file: string;
  readonly here: string;
}

/** A command that measures the scenario, with its file as the reader sees it; any other command unchanged. */
export function seenHere(command: string, { file, here }: SeenScenario): string {
  const before = measure(file);
  return command === before || command.startsWith(`${before} `)
    ? `${measure(visible(here))}${command.slice(before.length)}`
    : command;
}

interface Measured {
  readonly scenarioFile: string;
  readonly against?: Against;
}

/** A command with the run's folder, to be copied. */
export function commandFor(command: string, folder: string): string {
  return command.replace(PLACE, (_, before) => `${before} ${shellWord(folder)}`);
}

/**
 * Options for servers and machines that are not the run's own, each with a space before: no record holds a server's address.
 * Empty where it started everything.
 */
export function serverOptions({ run, provenance: { stack, openSearchVersion } }: WithElsewhere): string {
  const isExternal = stack === 'external';
  return present([
    isExternal && ' --postgres URL',
    (isExternal || run.runningService) && openSearchVersion !== undefined && ' --opensearch URL',
    run.remote && ' --allow-remote',
  ]).join('');
}

/** Options of the command that made a run, which it does not store, each with a space before. Empty where there are none. */
export function askedOptions({ gates = [], unclear, size, all }: Options = {}): string {
  return present([
    ...gates.map((gate) => ` --gate ${shellWord(gate)}`),
    unclear === 'pass' && ' --gate-unclear pass',
    size !== undefined && ' --size',
    all && ' --settle all',
  ]).join('');
}

type Options = Pick<AskedSummary, 'gates' | 'unclear' | 'all'> & { readonly size?: unknown };

interface WithElsewhere {
  readonly run: Elsewhere;
  readonly provenance: Pick<Provenance, 'stack' | 'openSearchVersion'>;
}
