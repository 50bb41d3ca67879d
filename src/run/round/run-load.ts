import { PgsweepError } from '../../base/errors.ts';
import type { StartedTarget } from '../../target/target.ts';
import type { RoundContext } from './round-context.ts';

export interface Serving extends Pick<RoundContext, 'clock' | 'signal'> {
  /** Each with the name of its arm. */
  readonly services: readonly { readonly name: string; readonly target: StartedTarget }[];
}

/** Some load on services. Its signal is aborted when one of them ends, and what is thrown then says so. */
export async function whileServing<T>(
  { clock, signal, services }: Serving,
  load: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const onEnd = Promise.race(
    services.map(async ({ name, target }) => {
      const how = await target.exited;
      const lines = target.tail().slice(-15).join('\n');
      ended.abort(
        new PgsweepError('target', `the service of "${name}" ended under load (${how}). Its last lines:\n${lines}`, {
          hint: 'The rounds before this one are kept, and can be reported.',
        }),
      );
      return ended.signal.reason;
    }),
  );
  try {
    return await load(AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    // A service that dies makes its connections fail first: say what it was that failed.
    const reason = await Promise.race([onEnd, clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}
