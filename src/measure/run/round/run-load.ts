import { PgsweepError } from '../../../base/errors.ts';
import type { OpenedLink } from '../../link/link.ts';
import type { StartedTarget } from '../../target/target.ts';
import type { RoundIo } from './round-context.ts';

export interface Serving extends Pick<RoundIo, 'clock' | 'signal'> {
  readonly services: readonly Served[];
}

interface Served {
  /** The name of its arm. */
  readonly name: string;
  /** Its variant's, where there are several. */
  readonly variant?: string;
  readonly target: Pick<StartedTarget, 'exited' | 'tail'>;
  /** Link between the service and its database. */
  readonly link?: Pick<OpenedLink, 'exited'> | null;
}

/** Settles with a message when a service ends, or something that it needs. */
function endOf({ name, variant, target, link }: Served): Promise<PgsweepError>[] {
  const service = target.exited.then((how) => {
    const lines = target.tail().slice(-15).join('\n');
    const what = `the service of "${name}" ended under load (${how}). Its last lines:\n${lines}`;
    return new PgsweepError('target', what, { variant });
  });
  const between = link?.exited?.then(
    (how) =>
      new PgsweepError('stack', `between the service of "${name}" and its database something ended under load: ${how}`),
  );
  return between === undefined ? [service] : [service, between];
}

/** Some load on services. Its signal is aborted when one of them ends, and the error then says so. */
export async function whileServing<T>(
  { clock, signal, services }: Serving,
  load: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const onEnd = Promise.race(services.flatMap(endOf)).then((error) => {
    ended.abort(error);
    return error;
  });
  try {
    return await load(AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    // When a service dies, its connections fail first. The error names the service.
    const reason = await Promise.race([onEnd, clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}
