import { ask, describeReply, isOk } from '../../../base/ask.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';

/** Gives each arm its own indices on one OpenSearch. The run knows only this, so that a fake can stand in. */
export interface ArmIndices {
  readonly url: string;
  /** How the names of an arm's indices begin. */
  prefixOf(database: string): string;
  /** Deletes an arm's indices, if there are any. Throws PgsweepError('stack'). */
  drop(database: string): Promise<void>;
}

const answerLimitMs = 30_000;

export function armIndices({ url }: { readonly url: string }): ArmIndices {
  // The last character keeps `..._a1` apart from `..._a10`.
  const prefixOf = (database: string): string => `${database}-`;
  return {
    url,
    prefixOf,
    async drop(database) {
      const indices = `${prefixOf(database)}*`;
      try {
        const signal = AbortSignal.timeout(answerLimitMs);
        const answer = await ask(`${url}/${encodeURIComponent(indices)}`, { method: 'DELETE', signal });
        if (!isOk(answer)) throw new Error(`${describeReply(answer)}: ${answer.text.slice(0, 300)}`);
      } catch (cause) {
        throw new PgsweepError('stack', `OpenSearch cannot delete the indices ${indices}: ${messageOf(cause)}`, {
          cause,
        });
      }
    },
  };
}
