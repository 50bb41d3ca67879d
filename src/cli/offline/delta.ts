import { Command, InvalidArgumentError, Option } from 'commander';
import { compareExternal } from '../../judge/external/judge-external.ts';
import { readExternalResults } from '../../judge/external/read-files.ts';
import { externalCsv, externalJson, externalMarkdown } from '../../report/external-deltas.ts';
import type { Io } from '../io.ts';
import { countOption } from '../options.ts';
import { type StyleOption, withStyleOption } from '../report/style-option.ts';

interface DeltaOptions extends StyleOption {
  readonly control: string;
  readonly by: readonly string[];
  readonly time?: string;
  readonly margin: number;
  readonly planned?: number;
  readonly twoWay?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Tables: the control is a row of the first column, or a column. Tools: one file a run; base-1.json and base-2.json are
runs of base, or say so: base=one.json. Where the runs' times show that they were taken in turn, they are judged like the
rounds of a sweep; else there are percentages and no verdict.

Read are Markdown and CSV tables, JSON of autocannon, k6, oha and hyperfine, and what pgbench and wrk print.

Examples:
  pgsweep delta table.md --control "Pool: 10"
  pgsweep delta runs.csv --control base --by connections
  pgsweep delta users.md --control v9.11.16 --two-way --style classic
  pgsweep delta base-*.json head-*.json --control base
  pgsweep delta pg17=a.txt pg18=b.txt pg17=c.txt pg18=d.txt --control pg17`;

export function deltaCommand(io: Io): Command {
  return withStyleOption(new Command('delta'))
    .argument('<files...>', 'a table (Markdown, CSV), or files of one tool, each a run: FILE, or NAME=FILE')
    .requiredOption('--control <name>', 'what the others are compared with')
    .option('--by <column>', 'compare only rows that are equal in this column (repeatable)', collect, [])
    .option('--time <column>', 'the column that says when a row was measured (default: one named time)')
    .option('--margin <percent>', 'within how many percent is the same', marginOption, 5)
    .option(
      '--planned <rounds>',
      'you had decided on so many rounds before the first: more of the error may be spent',
      countOption,
    )
    .option('--two-way', 'compare rows with the first one, too: where all numbers of a table are of one kind')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: DeltaOptions) => {
      const { control, by, time = null, margin: marginPercent, planned: plannedRounds = null } = options;
      const view = { classic: options.style === 'classic', twoWay: options.twoWay ?? false };
      const { groups, without } = readExternalResults(files, { control, by, time });
      const deltas = compareExternal(groups, { control, marginPercent, plannedRounds });
      io.out(options.json ? externalJson(deltas) : options.csv ? externalCsv(deltas) : externalMarkdown(deltas, view));
      if (without.length > 0) io.err(`tables without ${control} were left out: ${without.join(', ')}\n`);
    });
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** For commander: `5`, `5%`, `0.5`. */
function marginOption(text: string): number {
  const percent = Number(text.replace(/\s*%$/, ''));
  if (!(percent > 0 && percent <= 100)) throw new InvalidArgumentError('Expected a percentage such as 5 or 0.5%.');
  return percent;
}
