/** What a command's exit code says. Changing one is a breaking change. */
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
