import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ask, describeReply, isOk } from '../../../base/ask.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { Cleanup } from '../../../base/process/cleanup.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { StartedOpenSearch } from '../../stack/common/opensearch.ts';

/** Gives each arm its own indices on one OpenSearch. The run knows only this, so that a fake can stand in. */
export interface ArmIndices {
  readonly url: string;
  /** How the names of an arm's indices begin. */
  prefixOf(database: string): string;
  /** Deletes an arm's indices, if there are any. Throws PgsweepError('stack'). */
  drop(database: string): Promise<void>;
}

const answerLimitMs = 30_000;

/**
 * Indices of a session. On a node that pgsweep does not run, no other session has their names, and all that are left go at the
 * session's end, or by the reaper: a killed run would leave its documents to the services of the next one.
 */
export function sessionIndices(
  { kind, url }: Pick<StartedOpenSearch, 'kind' | 'url'>,
  { reaper, cleanup }: { readonly reaper: Pick<Reaper, 'watchCommand' | 'forgetCommand'>; readonly cleanup: Cleanup },
): ArmIndices {
  if (kind !== 'external') return armIndices({ url });
  const prefix = `pgsweep_${randomBytes(5).toString('hex')}_`;
  const id = `indices ${prefix}* of ${new URL(url).host}`;
  const script = fileURLToPath(new URL('./drop-left-indices.mjs', import.meta.url));
  const variables = { PGSWEEP_LEFT_URL: url, PGSWEEP_LEFT_PREFIX: prefix, NODE_OPTIONS: '' };
  reaper.watchCommand(id, [process.execPath, script], { variables, secrets: {} });
  cleanup.add(async () => {
    await dropIndices(url, prefix);
    reaper.forgetCommand(id);
  });
  return armIndices({ url, prefix });
}

/** Indices whose names begin with `prefix`, then with the name of the arm's database. */
export function armIndices({ url, prefix = '' }: { readonly url: string; readonly prefix?: string }): ArmIndices {
  // The last character keeps `..._a1` apart from `..._a10`.
  const prefixOf = (database: string): string => `${prefix}${database}-`;
  return { url, prefixOf, drop: (database) => dropIndices(url, prefixOf(database)) };
}

/** Deletes all indices whose names begin so. */
async function dropIndices(url: string, prefix: string): Promise<void> {
  const indices = `${prefix}*`;
  try {
    const signal = AbortSignal.timeout(answerLimitMs);
    const answer = await ask(`${url}/${encodeURIComponent(indices)}`, { method: 'DELETE', signal });
    if (!isOk(answer)) throw new Error(`${describeReply(answer)}: ${answer.text.slice(0, 300)}`);
  } catch (cause) {
    throw new PgsweepError('stack', `OpenSearch cannot delete the indices ${indices}: ${messageOf(cause)}`, { cause });
  }
}
