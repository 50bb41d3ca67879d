import { messageOf, PgsweepError } from '../base/errors.ts';
import { spawnWatched, type WatchedProcess } from '../base/process/child-process.ts';
import { maskKnown } from '../base/secrets.ts';
import type { ServiceSpec } from '../journal/scenario-record.ts';
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
  const { variant, reaper, logFile, signal } = options;
  const { reset: command } = variant;
  const place = placeOf(options);
  if (command === undefined || place === null) return;
  signal?.throwIfAborted();
  let child: WatchedProcess;
  try {
    child = await spawnWatched({ command, cwd: place.cwd, env: serviceEnv(place, options), reaper, logFile });
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

type Place = Pick<ServiceSpec, 'cwd' | 'env' | 'databaseUrlVariable'>;

/** Where it runs, and with what: as the service does, of several that which is under load. Null where none is started. */
function placeOf({ target, variant }: TargetOptions): Place | null {
  if (target.kind === 'command') {
    const { databaseUrlVariable } = target;
    return { cwd: variant.cwd ?? target.cwd, env: { ...target.env, ...variant.env }, databaseUrlVariable };
  }
  const front = target.kind === 'services' ? target.services[target.underLoad] : undefined;
  if (target.kind !== 'services' || front === undefined) return null;
  const { cwd = front.cwd, env } = variant.services?.[target.underLoad] ?? {};
  const { databaseUrlVariable } = front;
  return { cwd, env: { ...target.env, ...front.env, ...variant.env, ...env }, databaseUrlVariable };
}
