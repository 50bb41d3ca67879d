import { type Command, Option } from 'commander';

/** How a run is printed: judged, or as the tables that people wrote by hand. */
const styles = ['usual', 'classic'] as const;

export type ReportStyle = (typeof styles)[number];

export interface StyleOption {
  readonly style: ReportStyle;
}

/** The option of every command that prints tables. */
export function withStyleOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--style <style>',
      'classic: tables as in reports that people wrote by hand, without intervals and verdicts',
    )
      .choices(styles)
      .default('usual'),
  );
}
