import { messageOf } from '../base/errors.ts';

export type Attempt = <T>(work: () => Promise<T>) => Promise<T | null>;

/** Runs what may fail: the result is null then, and the first failure becomes a warning. */
export function warnOnce(name: string, onWarning: (message: string) => void): Attempt {
  let warned = false;
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!warned) onWarning(`the probe ${name} has missed something: ${messageOf(error)}`);
      warned = true;
      return null;
    }
  };
}
