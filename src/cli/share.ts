import type { Command } from 'commander';

/** Options about who may read the written files. */
export interface ShareOption {
  readonly share?: boolean;
}

/** The option of every command that writes into a run folder. */
export function withShareOption(command: Command): Command {
  return command.option(
    '--share',
    'let others on this machine read the run folder (default: PGSWEEP_SHARE=1, else only you: folders 0700, files 0600)',
  );
}

/** From here on, in this process and in those that it starts. */
export function applyShare({ share }: ShareOption): void {
  if (share === true) process.env.PGSWEEP_SHARE = '1';
}
