import { messageOf, PgsweepError } from '../base/errors.ts';
import { spawnWatched, type WatchedProcess } from '../base/process/child-process.ts';
import { maskKnown } from '../base/secrets.ts';
import { serviceEnv } from './service-env.ts';
import type { TargetOptions } from './target.ts';

/** How many of its last lines are shown where it fails. */
const TAIL_LINES = 15;

/**
 * Runs an arm's `reset`, if it has one, before its service starts: in the service's folder and with its environment but for the port. Its
 * output goes to the service's log. Throws PgsweepError `target` with its last lines where it fails; it is ended where the
 * run is.
 */
export async function resetData(options: TargetOptions): Promise<void> {
  const { target, variant, reaper, logFile, signal } = options;
  const { reset: command } = variant;
  if (command === undefined || target.kind !== 'command') return;
  const { databaseUrlVariable } = target;
  signal?.throwIfAborted();
  let child: WatchedProcess;
  try {
    const env = serviceEnv({ env: { ...target.env, ...variant.env }, databaseUrlVariable }, options);
    child = await spawnWatched({ command, cwd: variant.cwd ?? target.cwd, env, reaper, logFile });
  } catch (cause) {
    throw new PgsweepError('target', `the reset of "${variant.name}" cannot be started: ${messageOf(cause)}`, {
      cause,
    });
  }
  const stop = (): void => void child.stop();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const { code, signal: by } = await child.exited;
  signal?.removeEventListener('abort', stop);
  // Whatever it has left running is none of the service.
  await child.stop();
  signal?.throwIfAborted();
  if (code === 0) return;
  const tail = child.tail().slice(-TAIL_LINES).map(maskKnown);
  const lines = tail.length === 0 ? 'It printed nothing.' : `Its last lines:\n${tail.join('\n')}`;
  const how = by ?? `exit code ${code}`;
  throw new PgsweepError(
    'target',
    `the reset of "${variant.name}" (${maskKnown(command)}) ended with ${how}. ${lines}`,
    {
      hint: "It runs before each start of the service, in its folder and with its environment; PGSWEEP_ARM is a name of the arm's own.",
    },
  );
}
