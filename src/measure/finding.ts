import { messageOf, PgsweepError } from '../base/errors.ts';

/** `unknown`: this machine does not say. `warning`: results may be noisier than they need be. `problem`: nothing will run, or its numbers will be wrong. */
export type FindingState = 'ok' | 'unknown' | 'warning' | 'problem';

/** Result of one check of the doctor. */
export interface Finding {
  readonly name: string;
  readonly state: FindingState;
  readonly found: string;
  /** Advice; null where nothing need be done. */
  readonly advice: string | null;
}

export function ok(name: string, found: string): Finding {
  return { name, state: 'ok', found, advice: null };
}

export function unknown(name: string, why = ''): Finding {
  return { name, state: 'unknown', found: `not told by this machine${why}`, advice: null };
}

/** True for a finding that is worth a word before a run. */
export function isWarned({ state }: Finding): boolean {
  return state === 'warning' || state === 'problem';
}

export function warning(name: string, found: string, advice: string): Finding {
  return { name, state: 'warning', found, advice };
}

export function problem(name: string, found: string, advice: string): Finding {
  return { name, state: 'problem', found, advice };
}

/** A thrown error as a problem, with its hint as advice. */
export function problemOf(name: string, error: unknown): Finding {
  return problem(name, messageOf(error), error instanceof PgsweepError ? (error.hint ?? '') : '');
}

const GIB = 2 ** 30;

export function gibOf(bytes: number): string {
  return `${Number((bytes / GIB).toPrecision(3))} GiB`;
}
