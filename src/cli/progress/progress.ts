import type { RunEvent } from '../../measure/run/events.ts';
import { warningLine } from './warning-words.ts';

/** Listens to a run and tells people about it, on stderr. */
export interface Progress {
  on(event: RunEvent): void;
  /** Makes room for a line that somebody else prints. */
  clear(): void;
  /** Leaves the terminal as it should be. Call it before anything else is printed. */
  close(): void;
}

/** For `--quiet`: only what went wrong is said. */
export function silentProgress(write: (text: string) => void): Progress {
  return {
    on(event) {
      if (event.kind === 'warning') write(`${warningLine(event.warning)}\n`);
    },
    clear() {},
    close() {},
  };
}
