/** Meaning of a command's exit code. Changing one is a breaking change. */
export const ExitCode = {
  done: 0,
  /** A bug in pgsweep itself. */
  internal: 1,
  /** A bad command line, a bad scenario, or a service under test that cannot be run as the scenario says. */
  usage: 2,
  /** The machine or the stack cannot give a result. */
  unfit: 3,
  /** A gate that the user asked for did not hold. */
  gate: 4,
  /** Stopped by the user; the run can be resumed. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * Which part of the world an error came from. It decides the exit code:
 * `usage`, `scenario`, `dataset`, `target` are for the user to fix (2); `stack`, `load` and `disk` come from the environment (3);
 * `journal` is a run folder that cannot be read (2).
 */
export type ErrorCode =
  | 'usage'
  | 'scenario'
  | 'dataset'
  | 'target'
  | 'stack'
  | 'load'
  | 'disk'
  | 'journal'
  | 'interrupted';

const exitCodes: Record<ErrorCode, ExitCode> = {
  usage: ExitCode.usage,
  scenario: ExitCode.usage,
  dataset: ExitCode.usage,
  target: ExitCode.usage,
  journal: ExitCode.usage,
  stack: ExitCode.unfit,
  load: ExitCode.unfit,
  disk: ExitCode.unfit,
  interrupted: ExitCode.interrupted,
};

interface PgsweepErrorOptions {
  readonly hint?: string | undefined;
  readonly setting?: string | undefined;
  readonly variant?: string | undefined;
  readonly cause?: unknown;
}

/** An error that the user can act on: one message, what to do next, and the original error as `cause`. */
export class PgsweepError extends Error {
  override readonly name = 'PgsweepError';
  readonly code: ErrorCode;
  /** Next step for the user, as a sentence. */
  readonly hint: string | undefined;
  /** The Postgres setting that caused it, if there is one. */
  readonly setting: string | undefined;
  /** The name of the variant whose database or service caused it, if there is one. */
  readonly variant: string | undefined;

  constructor(code: ErrorCode, message: string, options: PgsweepErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.setting = options.setting;
    this.variant = options.variant;
  }

  get exitCode(): ExitCode {
    return exitCodes[this.code];
  }
}

/** The error with the name of the variant that caused it; what is no PgsweepError, or names one already, as it is. */
export function causedBy(variant: string, error: unknown): unknown {
  if (!(error instanceof PgsweepError) || error.variant !== undefined) return error;
  const { code, message, hint, setting, cause } = error;
  return new PgsweepError(code, message, { hint, setting, variant, cause });
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
