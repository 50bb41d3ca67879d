import type { Command } from 'commander';

/** Options about who may read the written files. */
export interface ShareOption {
  readonly share?: boolean;
}

/** The option of every command that writes into a run folder. */
export function withShareOption(command: Command): Command {
  return command.option(
    '--share',
    'let other users of this machine read the run folder; so does PGSWEEP_SHARE=1 (default: only you can: folders 0700, files 0600)',
  );
}

/** From here on, in this process and in those that it starts. */
export function applyShare({ share }: ShareOption): void {
  if (share === true) process.env.PGSWEEP_SHARE = '1';
}
