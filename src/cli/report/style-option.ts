import { type Command, Option } from 'commander';

/** How a run is printed: judged, or as in hand-written reports. */
const styles = ['usual', 'classic'] as const;

export type ReportStyle = (typeof styles)[number];

export interface StyleOption {
  readonly style: ReportStyle;
}

/** The option of every command that prints tables. */
export function withStyleOption(command: Command): Command {
  return command.addOption(
    new Option('--style <style>', 'classic: tables as in hand-written reports, without intervals and verdicts')
      .choices(styles)
      .default('usual'),
  );
}
