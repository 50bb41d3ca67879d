import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf, PgsweepError } from '../../../base/errors.ts';

/** Throws PgsweepError('stack') where something listens on a port of 127.0.0.1 that `server` was given. */
export async function refuseTakenPort(server: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch (cause) {
    throw portTaken(server, port, messageOf(cause), cause);
  } finally {
    probe.close();
  }
}

/** The error of a server that cannot have its port. */
export function portTaken(server: string, port: number, why: string, cause?: unknown): PgsweepError {
  return new PgsweepError('stack', `${server} cannot listen on port ${port} of 127.0.0.1: ${why}`, {
    hint: `Stop what listens there, give another port, or none: pgsweep then takes a free one.`,
    cause,
  });
}
