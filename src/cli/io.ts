import type { TerminalStream } from './progress/terminal.ts';

/** Output of a command. Results go to `out`, everything else to `err`. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly outColour: boolean;
  readonly outWidthColumns: number;
  /** The terminal that progress may draw on; null where stderr is none. */
  readonly terminal: TerminalStream | null;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
