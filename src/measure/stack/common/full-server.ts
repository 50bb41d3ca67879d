import { messageOf, PgsweepError } from '../../../base/errors.ts';

/** Error codes of Postgres for a limit of its configuration (class 53, errcodes.txt). */
const limits: Readonly<Record<string, { readonly what: string; readonly hint: string }>> = {
  '53300': {
    what: 'Postgres has no connection left',
    hint: "Raise max_connections (of the bench's own servers: stack: { postgres: { settings: { max_connections: 500 } } }), use smaller pools, or close other clients. A role or a database may have its own CONNECTION LIMIT.",
  },
  '53400': {
    what: 'a limit in the configuration of Postgres was exceeded',
    hint: 'The message names it. Raise it (stack: { postgres: { settings: ... } }), or have the run need less.',
  },
};

/** The error of a run, as PgsweepError `stack` where a limit of the server is to blame, however deep it is; else as it is. */
export function asErrorOfFullServer(error: unknown): unknown {
  // Whoever made an error for the user has said where it is from.
  if (error instanceof PgsweepError) return error;
  const limit = limitOf(error);
  if (limit === undefined) return error;
  return new PgsweepError('stack', `${limit.what}: ${messageOf(error)}`, { hint: limit.hint, cause: error });
}

/** Advice about an error of Postgres, if a limit of the server caused it. */
export function hintOfFullServer(error: unknown): string | undefined {
  return limitOf(error)?.hint;
}

function limitOf(error: unknown): (typeof limits)[string] | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return limits[code] ?? limitOf(error.cause);
}
