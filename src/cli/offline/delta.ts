import { Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { countOption } from '../options.ts';
import { withStyleOption } from '../report/style-option.ts';
import type { DeltaOptions } from './delta-at.ts';

const EXAMPLES = `
In a table, the control is a column, or a row by its first cell. For load tools, pass one file per run: base-1.json and
base-2.json are runs of base; base=one.json names the run. If their times show that the runs alternated, pgsweep judges
them like rounds of a sweep. Otherwise it prints percentages without verdicts.

It reads Markdown and CSV tables, JSON of autocannon, k6, oha and hyperfine, and the output of pgbench, wrk and ab.

Examples:
  pgsweep delta table.md --control "Pool: 10"
  pgsweep delta runs.csv --control base --by connections
  pgsweep delta users.md --control v9.11.16 --two-way --style classic
  pgsweep delta base-*.json head-*.json --control base
  pgsweep delta pg17=a.txt pg18=b.txt pg17=c.txt pg18=d.txt --control pg17`;

export function deltaCommand(io: Io): Command {
  return withStyleOption(new Command('delta'))
    .argument('<files...>', 'a table (Markdown, CSV), or files of one load tool, one per run: FILE, or NAME=FILE')
    .requiredOption('--control <name>', 'name of the control, which the others are compared with')
    .option('--by <column>', 'compare only rows with the same value in this column (repeatable)', collect)
    .option('--time <column>', 'the column with the time of each measurement (default: a column named time)')
    .option('--margin <percent>', 'percentage within which two results count as the same', marginOption, 5)
    .option(
      '--planned <rounds>',
      'number of rounds, if you fixed it before the first: intervals get narrower',
      countOption,
    )
    .option('--two-way', 'also compare each row with the first row; for tables whose numbers are all of one kind')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: DeltaOptions) => {
      const { deltaAt } = await import('./delta-at.ts');
      deltaAt(files, options, io);
    });
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** For commander: `5`, `5%`, `0.5`. */
function marginOption(text: string): number {
  const percent = Number(text.replace(/\s*%$/, ''));
  if (!(percent > 0 && percent <= 100)) throw new InvalidArgumentError('Expected a percentage such as 5 or 0.5%.');
  return percent;
}
