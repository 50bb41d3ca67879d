import { shellWord } from '../../base/shell-word.ts';
import type { Provenance } from '../../journal/records.ts';

/** Stands for the run's folder in commands: a summary does not know where it lies. */
export const RUN = 'RUN';

/** The place of the folder: a file called RUN, or a flag, stands elsewhere. */
const PLACE = new RegExp(`^(pgsweep (?:(?:sweep|tune) --resume|merge)) ${RUN}(?= |$)`);

/** The command that resumes the run, with these options. */
export function resume(options: string): string {
  return `pgsweep sweep --resume ${RUN} ${options}`.trim();
}

/** The command that measures a scenario file. Its name comes from a journal, which may be anyone's. */
export function measure(file: string): string {
  return `pgsweep sweep ${shellWord(file.startsWith('-') ? `./${file}` : file)}`;
}

/** A command with the run's folder, to be copied. */
export function commandFor(command: string, folder: string): string {
  return command.replace(PLACE, (_, before) => `${before} ${shellWord(folder)}`);
}

/** Options for servers that the run did not start, each with a space before: no record holds their addresses. Empty where it started them. */
export function serverOptions({ stack, openSearchVersion }: Pick<Provenance, 'stack' | 'openSearchVersion'>): string {
  if (stack !== 'external') return '';
  return openSearchVersion === undefined ? ' --postgres URL' : ' --postgres URL --opensearch URL';
}
