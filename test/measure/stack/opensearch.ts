import { afterAll, beforeAll } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { StartedOpenSearch } from '../../../src/measure/stack/common/opensearch.ts';
import { startEmbeddedOpenSearch } from '../../../src/measure/stack/embedded/opensearch.ts';
import type { Needed } from '../../support/needs.ts';

/** One node for all tests of a file that need it; none where it is not here (`await needs('opensearch')`). */
export function withOpenSearch({ isHere }: Needed<null>): { readonly node: StartedOpenSearch } {
  let reaper: Reaper | undefined;
  let node: StartedOpenSearch | undefined;
  beforeAll(async () => {
    if (!isHere) return;
    reaper = startReaper();
    node = await startEmbeddedOpenSearch({ reaper });
  });
  afterAll(async () => {
    await node?.stop();
    await reaper?.close();
  });
  return {
    get node() {
      if (node === undefined) throw new Error('withOpenSearch: read inside a test, after beforeAll');
      return node;
    },
  };
}

/** Sends JSON, or nothing, to a node and returns what it answers. */
export async function askNode(url: string, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the node answers.
  return { status: response.status, body: (await response.json()) as any };
}
