import { messageOf } from '../../base/errors.ts';
import type { ProbeContext } from './probe.ts';

/** Tells the first failure of a probe, and no other. */
export function tellOnce(probe: string, onWarning: ProbeContext['onWarning']): (error: unknown) => void {
  let hasWarned = false;
  return (error) => {
    if (!hasWarned) onWarning({ kind: 'probe-missed', probe, cause: messageOf(error) });
    hasWarned = true;
  };
}

export type Attempt = <T>(work: () => Promise<T>) => Promise<T | null>;

/** Runs what may fail: the result is null then, and the first failure becomes a warning. */
export function warnOnce(probe: string, onWarning: ProbeContext['onWarning']): Attempt {
  const tell = tellOnce(probe, onWarning);
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      tell(error);
      return null;
    }
  };
}
