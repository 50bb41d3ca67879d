import type { ErrorCode } from '../base/errors.ts';

/** How a sweep ended too early. */
export interface Ended {
  readonly code: ErrorCode;
  /** How many rounds are finished; null where the run had not begun. */
  readonly rounds: number | null;
  /** How many had been when this sitting began: 0 but for a run that was resumed. */
  readonly before: number;
  readonly folder: string;
}

/** What is kept of a run that has failed or was interrupted, and what to do next. */
export function adviceAfter({ code, rounds, before, folder }: Ended): string {
  if (rounds === null) return 'Nothing was measured.';
  const kept =
    rounds === 0
      ? 'No round was finished, so there is nothing to report.'
      : `${rounds} finished round${rounds === 1 ? ' is' : 's are'} kept and reported in ${folder}.`;
  const goOn = `pgsweep sweep --resume ${folder}`;
  if (code === 'interrupted') return `${kept} Go on: ${goOn}`;
  // A run keeps its scenario and its data, so that its rounds can be compared: what is wrong with these stays wrong.
  if (code === 'scenario' || code === 'usage' || code === 'dataset' || rounds === 0) {
    return `${kept} It would come again: mend it, then start a new run.`;
  }
  // What let no round pass since the start is no accident.
  return rounds === before ? `${kept} It would come again: mend it, then go on: ${goOn}` : `${kept} Go on: ${goOn}`;
}
