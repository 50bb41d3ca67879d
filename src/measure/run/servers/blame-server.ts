import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { withLoggedErrors } from '../../probe/postgres/logged-errors.ts';
import { asErrorOfFullServer } from '../../stack/common/full-server.ts';
import { query } from '../../stack/common/query.ts';
import type { RunningServer } from './servers.ts';

/** How long Postgres takes to end after a crash of one of its processes: it kills the others after 5 s. */
const CRASH_MS = 6000;
const HINT = 'The log of Postgres says why.';

/**
 * The error to end with when something has failed: that of the server, where one has crashed, since whoever lost a
 * connection by it often fails first. That of a service says what its Postgres logged. `failed` is aborted with the error of a server that has ended by itself.
 */
export async function blameServer(
  error: unknown,
  servers: readonly Pick<RunningServer, 'postgres'>[],
  failed: AbortSignal,
  crashMs = CRASH_MS,
): Promise<unknown> {
  if (error instanceof PgsweepError && error.code === 'interrupted') return error;
  const full = asErrorOfFullServer(error);
  if (full !== error && !failed.aborted) return full;
  const answers = servers.map(({ postgres }) =>
    query(postgres.adminUrl(), 'SELECT 1').then(
      () => null,
      // A server that is full answers.
      (why: unknown) => (asErrorOfFullServer(why) === why ? messageOf(why) : null),
    ),
  );
  const why = failed.aborted ? undefined : (await Promise.all(answers)).find((one) => one !== null);
  const isLost = isLostConnection(error);
  if (why !== undefined || isLost) await sleep(crashMs, undefined, { signal: failed }).catch(() => {});
  if (failed.aborted) return failed.reason;
  const lost = (message: string): PgsweepError => new PgsweepError('stack', message, { hint: HINT, cause: error });
  if (why !== undefined) return lost(`Postgres does not answer any more (${why}): ${messageOf(error)}`);
  if (isLost) return lost(`Postgres has ended a connection of the bench: ${messageOf(error)}`);
  return withLoggedErrors(
    error,
    servers.map(({ postgres }) => postgres),
  );
}

/** True if pg reports a lost connection instead of a wrong statement: by its own codes (57P), the system's, or in words. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof PgsweepError) return false;
  if (error instanceof pg.DatabaseError) return error.code?.startsWith('57P') ?? false;
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return true;
  return /^Connection terminated|connection error and is not queryable/.test(messageOf(error));
}
