import { messageOf, PgsweepError } from '../../base/errors.ts';
import { endOf, spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import { maskKnown } from '../../base/secrets.ts';
import { lastLines } from './last-lines.ts';
import { serviceEnv } from './service-env.ts';
import { startOf, startOfNamed } from './start-of.ts';
import type { Start } from './start-process.ts';
import type { TargetOptions } from './target.ts';

/**
 * Runs an arm's `reset`, if it has one, before its service starts: in the service's folder and with its environment but for the port. Its
 * output goes to the service's log. Throws PgsweepError `target` with its last lines where it fails; it is ended where the
 * run is.
 */
export async function resetData(options: TargetOptions): Promise<void> {
  const { variant, reaper, logFile, signal } = options;
  const { reset: command } = variant;
  const service = command === undefined ? null : serviceOf(options);
  if (command === undefined || service === null) return;
  signal?.throwIfAborted();
  const cwd = service.cwd !== undefined && { cwd: service.cwd };
  let child: WatchedProcess;
  try {
    child = await spawnWatched({ command, ...cwd, env: serviceEnv(service, options), reaper, logFile });
  } catch (cause) {
    throw new PgsweepError('target', `the reset of "${variant.name}" cannot be started: ${messageOf(cause)}`, {
      cause,
    });
  }
  const { code, how } = await endOf(child, signal);
  // Whatever it has left running is none of the service.
  await child.stop();
  signal?.throwIfAborted();
  if (code === 0) return;
  const lines = lastLines(child.tail().map(maskKnown));
  throw new PgsweepError(
    'target',
    `the reset of "${variant.name}" (${maskKnown(command)}) ended with ${how}. ${lines}`,
    {
      hint: "It runs before each start of the service, in its folder and with its environment; PGSWEEP_ARM is a name of the arm's own.",
    },
  );
}

/** It runs where the service does and with what that is given, of several that which is under load. Null where none is started. */
function serviceOf({ target, variant }: TargetOptions): Start | null {
  if (target.kind === 'url') return null;
  return target.kind === 'services' ? startOfNamed(target.underLoad, target, variant) : startOf(target, variant);
}
