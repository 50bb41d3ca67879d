import type { Io } from './io.ts';
import { plainProgress } from './progress/plain.ts';
import { type Progress, silentProgress } from './progress/progress.ts';
import { terminalProgress } from './progress/terminal.ts';

/** Progress that suits where stderr goes. */
export function progressFor({ quiet }: { readonly quiet?: boolean }, io: Io): Progress {
  if (quiet) return silentProgress(io.err);
  return io.terminal === null ? plainProgress(io.err) : terminalProgress(io.terminal);
}
