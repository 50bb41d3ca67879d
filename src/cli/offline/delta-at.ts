import { compareExternal } from '../../judge/external/judge-external.ts';
import { readExternalResults } from '../../judge/external/read-files.ts';
import { externalCsv, externalJson, externalMarkdown } from '../../report/external-deltas.ts';
import type { Io } from '../io.ts';
import type { StyleOption } from '../report/style-option.ts';

/** Options of the command line. */
export interface DeltaOptions extends StyleOption {
  readonly control: string;
  readonly by?: readonly string[];
  readonly time?: string;
  readonly margin: number;
  readonly planned?: number;
  readonly twoWay?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** Compares the numbers of these files and prints the result. Throws PgsweepError. */
export function deltaAt(files: readonly string[], options: DeltaOptions, io: Io): void {
  const { control, by = [], time = null, margin: marginPercent, planned: plannedRounds = null } = options;
  const view = { classic: options.style === 'classic', twoWay: options.twoWay ?? false };
  const { groups, without } = readExternalResults(files, { control, by, time });
  const deltas = compareExternal(groups, { control, marginPercent, plannedRounds });
  io.out(options.json ? externalJson(deltas) : options.csv ? externalCsv(deltas) : externalMarkdown(deltas, view));
  if (without.length > 0) io.err(`Tables without ${control} were left out: ${without.join(', ')}\n`);
}
