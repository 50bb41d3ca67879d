import getPort from 'get-port';
import { ask, describeReply, isOk, type Reply, UnverifiedCertificate } from '../base/ask.ts';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { nodeCommand } from '../base/node-command.ts';
import { spawnWatched, type WatchedProcess } from '../base/process/child-process.ts';
import { maskKnown } from '../base/secrets.ts';
import { formatDuration } from '../base/units.ts';
import type { CommandTarget } from '../journal/scenario-record.ts';
import { fetchToken } from './fetch-token.ts';
import { resetData } from './reset-data.ts';
import { serviceEnv } from './service-env.ts';
import type { StartedTarget, TargetOptions, TargetStop } from './target.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** How a service is started: the same for the built-in one and for a user's own. */
interface Start extends Omit<CommandTarget, 'kind' | 'command' | 'cwd'> {
  readonly command: string | [string, ...string[]];
  readonly cwd: string | undefined;
}

/**
 * Starts the service under test for one arm and waits until it is ready; for a `url` target it only checks that
 * something answers. What the variant's `reset` has to put back is put back before. Throws PgsweepError `target` with the
 * service's last lines, and leaves nothing running.
 */
export async function startTarget(options: TargetOptions): Promise<StartedTarget> {
  const { target, variant } = options;
  await resetData(options);
  const started =
    target.kind === 'url'
      ? await checkUrl(variant.url ?? target.url, target.ready, options.signal)
      : await startProcess(startOf(options), options);
  const login = target.kind === 'service' ? undefined : target.login;
  if (login === undefined) return started;
  try {
    return { ...started, token: await fetchToken(started.url, login, variant.name, options.signal) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

function startOf({ target, variant }: TargetOptions): Start {
  if (target.kind === 'command') {
    return {
      ...target,
      command: variant.command ?? target.command,
      cwd: variant.cwd ?? target.cwd,
      env: { ...target.env, ...variant.env },
    };
  }
  return {
    command: nodeCommand(new URL('../sample/service/main.ts', import.meta.url)),
    cwd: undefined,
    env: target.kind === 'service' ? { ...target.env, ...variant.env } : {},
    ready: '/health',
    readyTimeoutMs: 30_000,
    stopTimeoutMs: 10_000,
    portVariable: 'PORT',
    databaseUrlVariable: 'DATABASE_URL',
  };
}

/** Between the look for a free port and the service that listens on it, somebody else may take it. */
const PORT_TRIES = 3;

async function startProcess(start: Start, options: TargetOptions, tries = 1): Promise<StartedTarget> {
  const { variant, reaper, logFile, signal } = options;
  const port = await getPort({ host: '127.0.0.1' });
  const env = { ...serviceEnv(start, options), [start.portVariable]: String(port) };
  const service = await spawnService(start, { env, reaper, logFile }, variant.name);
  const exited = service.exited.then(({ code, signal: by }) => (by === null ? `exit code ${code}` : String(by)));
  const stop = async (): Promise<TargetStop> => {
    const { killed } = await service.stop({ graceMs: start.stopTimeoutMs });
    return { killedAfterMs: killed ? start.stopTimeoutMs : null };
  };
  const url = `http://127.0.0.1:${port}`;
  const outcome = await waitUntilReady({ url: url + start.ready, timeoutMs: start.readyTimeoutMs, exited, signal });
  if (outcome.kind !== 'ready') {
    await stop();
    signal?.throwIfAborted();
    const tail = service.tail().map(maskKnown);
    const isLost = outcome.kind === 'exited' && tail.some((line) => saysTaken(line, port));
    if (isLost && tries < PORT_TRIES) return startProcess(start, options, tries + 1);
    throw notReady(start, port, variant.name, outcome, tail);
  }
  return { url, pid: service.pid, exited, tail: () => service.tail().map(maskKnown), stop };
}

/** Of the port that the service was given: one that it has of its own would be taken the next time, too. */
function saysTaken(line: string, port: number): boolean {
  return /EADDRINUSE|in use/i.test(line) && new RegExp(`\\b${port}\\b`).test(line);
}

async function spawnService(
  { command, cwd }: Start,
  options: Pick<Parameters<typeof spawnWatched>[0], 'env' | 'reaper' | 'logFile'>,
  name: string,
): Promise<WatchedProcess> {
  try {
    return await spawnWatched({ command, ...(cwd !== undefined && { cwd }), ...options });
  } catch (cause) {
    throw new PgsweepError('target', `the service of "${name}" cannot be started: ${messageOf(cause)}`, { cause });
  }
}

type NotReady = Exclude<Awaited<ReturnType<typeof waitUntilReady>>, { kind: 'ready' }>;

function notReady(start: Start, port: number, name: string, outcome: NotReady, tail: readonly string[]): PgsweepError {
  const { ready, readyTimeoutMs, portVariable } = start;
  const lines = tail.length === 0 ? 'It printed nothing.' : `Its last lines:\n${tail.slice(-15).join('\n')}`;
  if (outcome.kind === 'exited') {
    return new PgsweepError('target', `the service of "${name}" ended (${outcome.how}) before it was ready. ${lines}`, {
      hint: /EADDRINUSE/.test(lines)
        ? `Several arms run at once: the service must listen on the port in ${portVariable}, not on a fixed one.`
        : 'Try the command by hand; it gets the port and the database by environment variables (see docs/own-service.md).',
    });
  }
  return new PgsweepError(
    'target',
    `the service of "${name}" was not ready after ${formatDuration(readyTimeoutMs)}: GET ${ready} on port ${port} ${outcome.last}. ${lines}`,
    {
      hint: `It must listen on 127.0.0.1 on the port in ${portVariable}, and answer GET ${ready} with 2xx (target.ready).`,
    },
  );
}

async function checkUrl(
  url: string,
  ready: string | undefined,
  signal: AbortSignal | undefined,
): Promise<StartedTarget> {
  const base = url.replace(/\/$/, '');
  let answer: Reply;
  try {
    const soon = AbortSignal.any([AbortSignal.timeout(5000), ...(signal ? [signal] : [])]);
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
  return {
    url: base,
    pid: null,
    exited: new Promise(() => {}),
    tail: () => [],
    stop: async () => ({ killedAfterMs: null }),
  };
}
