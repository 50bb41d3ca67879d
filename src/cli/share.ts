import type { Command } from 'commander';

/** Option to let other users read a run folder. */
export interface ShareOption {
  readonly share?: boolean;
}

/** Adds --share to a command that writes a run folder. */
export function withShareOption(command: Command): Command {
  return command.option(
    '--share',
    'let other users of this machine read the run folder; so does PGSWEEP_SHARE=1 (default: only you can)',
  );
}

/** Shares the files of this process and of those that it starts from now on. */
export function applyShare({ share }: ShareOption): void {
  if (share === true) process.env.PGSWEEP_SHARE = '1';
}
