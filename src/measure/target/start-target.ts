import { ask, describeReply, isOk, type Reply, UnverifiedCertificate } from '../../base/ask.ts';
import { timeLimit } from '../../base/async/time-limit.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { endOf, spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import { maskKnown } from '../../base/secrets.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import { fetchToken } from './fetch-token.ts';
import { lastLines } from './last-lines.ts';
import { serviceEnv } from './service-env.ts';
import { instanceVariables, startInstances, startServices } from './several-processes.ts';
import { startOf, startOfNamed } from './start-of.ts';
import { type Start, startProcess, withFreePorts } from './start-process.ts';
import type { StartedTarget, TargetOptions } from './target.ts';

/** Where a URL of a database names none. */
const POSTGRES_PORT = 5432;

/**
 * Starts the service under test for one arm and waits until it is ready; for a `url` target it only checks that
 * something answers. What the variant's `reset` has to put back is put back before. Throws PgsweepError `target` with the
 * service's last lines, and leaves nothing running.
 */
export async function startTarget(options: TargetOptions): Promise<StartedTarget> {
  const { target, variant } = options;
  await resetData(options);
  const started = { ...(await startKind(options)), ...databaseOf(options) };
  const login = target.kind === 'service' ? undefined : target.login;
  try {
    await options.whenReady?.(started);
    if (login === undefined) return started;
    return { ...started, token: await fetchToken(started, login, variant.name, options.signal) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

function databaseOf({ databaseUrl }: TargetOptions): Pick<StartedTarget, 'databasePort'> {
  return databaseUrl === null ? {} : { databasePort: Number(new URL(databaseUrl).port) || POSTGRES_PORT };
}

function startKind(options: TargetOptions): Promise<StartedTarget> {
  const { target, variant } = options;
  if (target.kind === 'url') return checkUrl(variant.url ?? target.url, target.ready, options.signal);
  if (target.kind === 'none') return Promise.resolve(notStarted(''));
  if (target.kind === 'services') return startServices(target, options);
  return startService(startOf(target, variant), options);
}

function startService(start: Start, options: TargetOptions): Promise<StartedTarget> {
  const { variant, logFile } = options;
  const count = instancesOf(variant);
  if (count > 1) return startInstances(start, count, options);
  const env = variant.instances === undefined ? {} : instanceVariables(0, 1);
  const place = { name: `the service of "${variant.name}"`, logFile, env };
  return withFreePorts(1, ([port = 0]) => startProcess(start, { ...place, port }, options));
}

async function checkUrl(
  url: string,
  ready: string | undefined,
  signal: AbortSignal | undefined,
): Promise<StartedTarget> {
  const base = url.replace(/\/$/, '');
  let answer: Reply;
  try {
    const soon = timeLimit(5000, signal);
    answer = await ask(base + (ready ?? ''), { signal: soon });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof UnverifiedCertificate) {
      throw new PgsweepError('target', cause.message, {
        hint: 'NODE_EXTRA_CA_CERTS=authority.pem has the authority trusted that signed it. Only a service on this machine may have any certificate.',
        cause,
      });
    }
    throw new PgsweepError('target', `nothing answers at ${url}: ${messageOf(cause)}`, {
      hint: 'A url target must already run. To have it started for you, use target: { command: ... }',
      cause,
    });
  }
  // Where the scenario names no path, any answer will do: what it says is its own affair.
  if (ready !== undefined && !isOk(answer)) {
    throw new PgsweepError('target', `the service at ${url} is not ready: GET ${ready} ${describeReply(answer)}`, {
      hint: 'Wait until it is, or correct target.ready: that path must answer 2xx.',
    });
  }
  return notStarted(base);
}

/** A service that is not the bench's to start; none at all where the url is empty. */
function notStarted(url: string): StartedTarget {
  return {
    url,
    pid: null,
    exited: new Promise(() => {}),
    tail: () => [],
    stop: async () => ({ killedAfterMs: null }),
  };
}

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
  if (target.kind === 'url' || target.kind === 'none') return null;
  return target.kind === 'services' ? startOfNamed(target.underLoad, target, variant) : startOf(target, variant);
}
