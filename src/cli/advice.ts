import type { ErrorCode } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';

/** How a sweep ended too early. */
export interface Ended {
  readonly code: ErrorCode;
  /** How many rounds are finished; null where the run had not begun. */
  readonly rounds: number | null;
  /** How many were finished when this session began: 0 but for a resumed run. */
  readonly before: number;
  readonly folder: string;
  /** True if the report's files could be written. */
  readonly written: boolean;
  /** Set where the run searches a space. */
  readonly searches?: boolean;
  /** Options that it needs for servers and machines that are not its own, each with a space before; absent where there are none. */
  readonly servers?: string;
  /** Options that the run does not store, such as gates, each with a space before; absent where there are none. */
  readonly asked?: string;
}

/** Remains of a failed or interrupted run, and the next step. */
export function adviceAfter({
  code,
  rounds,
  before,
  folder,
  written,
  searches,
  servers = '',
  asked = '',
}: Ended): string {
  if (rounds === null) return 'Nothing was measured.';
  const where = written ? `reported in ${folder}` : 'reported above; the files could not be written';
  const kept =
    rounds === 0
      ? 'No round was finished, so there is nothing to report.'
      : `${rounds} finished round${rounds === 1 ? ' is' : 's are'} kept and ${where}.`;
  const resume = `pgsweep ${searches ? 'tune' : 'sweep'} --resume ${shellWord(folder)}${asked}${servers}`;
  if (code === 'interrupted') return `${kept} Resume it: ${resume}`;
  if (code === 'disk') return `${kept} Free some disk space, then resume it: ${resume}`;
  // Its scenario is the one that earlier rounds ran with: the command line was wrong.
  if (code === 'usage' && before > 0) return `${kept} Resume it with the right options: ${resume}`;
  // A run keeps its scenario and its data, so its rounds can be compared. A mistake in them cannot be fixed by resuming.
  if (code === 'scenario' || code === 'usage' || code === 'dataset' || rounds === 0) {
    return `${kept} It would fail again: fix the cause, then start a new run.`;
  }
  // No round was finished since the start, so it was no accident.
  return rounds === before
    ? `${kept} It would fail again: fix the cause, then resume it: ${resume}`
    : `${kept} Resume it: ${resume}`;
}
