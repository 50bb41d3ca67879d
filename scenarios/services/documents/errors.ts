import type { HintedError } from '../../../src/measure/load/workload-module.ts';

/** Bad data, or a workload that it cannot serve, in words for the user. pgsweep shows the message and the hint as they are. */
export class DatasetError extends Error implements HintedError {
  override readonly name = 'DatasetError';
  /** Next step for the user, as a sentence; empty where the message says it. */
  readonly hint: string;

  constructor(message: string, { hint = '', cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
