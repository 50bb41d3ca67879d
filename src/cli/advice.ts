import type { ErrorCode } from '../base/errors.ts';

/** How a sweep ended too early. */
export interface Ended {
  readonly code: ErrorCode;
  /** How many rounds are finished; null where the run had not begun. */
  readonly rounds: number | null;
  /** How many had been when this sitting began: 0 but for a run that was resumed. */
  readonly before: number;
  readonly folder: string;
  /** True if the report's files could be written. */
  readonly written: boolean;
}

/** Remains of a failed or interrupted run, and the next step. */
export function adviceAfter({ code, rounds, before, folder, written }: Ended): string {
  if (rounds === null) return 'Nothing was measured.';
  const where = written ? `reported in ${folder}` : 'reported above; the files have no room';
  const kept =
    rounds === 0
      ? 'No round was finished, so there is nothing to report.'
      : `${rounds} finished round${rounds === 1 ? ' is' : 's are'} kept and ${where}.`;
  const goOn = `pgsweep sweep --resume ${folder}`;
  if (code === 'interrupted') return `${kept} Go on: ${goOn}`;
  if (code === 'disk') return `${kept} Make room, then go on: ${goOn}`;
  // A run keeps its scenario and its data, so that its rounds can be compared: what is wrong with these stays wrong.
  if (code === 'scenario' || code === 'usage' || code === 'dataset' || rounds === 0) {
    return `${kept} It would come again: mend it, then start a new run.`;
  }
  // What let no round pass since the start is no accident.
  return rounds === before ? `${kept} It would come again: mend it, then go on: ${goOn}` : `${kept} Go on: ${goOn}`;
}
