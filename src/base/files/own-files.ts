/**
 * Who may read what a run writes: the user alone, or with PGSWEEP_SHARE=1 everybody. A variable, since the processes that
 * the bench starts write into the run folder too.
 */
const isShared = (): boolean => process.env.PGSWEEP_SHARE === '1';

/** The mode of a new file of a run. */
export function fileMode(): number {
  return isShared() ? 0o644 : 0o600;
}

/** The mode of a new folder of a run. */
export function folderMode(): number {
  return isShared() ? 0o755 : 0o700;
}
