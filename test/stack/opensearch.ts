import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';
import { type Reaper, startReaper } from '../../src/base/reaper.ts';
import { startEmbeddedOpenSearch } from '../../src/stack/embedded-opensearch.ts';
import type { StartedOpenSearch } from '../../src/stack/opensearch.ts';

const javaHome = process.env.OPENSEARCH_JAVA_HOME ?? process.env.JAVA_HOME;
const missing = [
  ['Java', javaHome ? `${javaHome}/bin/java` : 'java', '-version'],
  ['Maven', 'mvn', '-version'],
].find(([, program = '', argument = '']) => spawnSync(program, [argument], { stdio: 'ignore' }).status !== 0)?.[0];

/** Why tests with a real node cannot run here; null where they can. */
export const whyNoOpenSearch: string | null = missing === undefined ? null : `skipped: no ${missing}`;

/** The name of a group of tests that need a node, with the reason where it is skipped. */
export function needsOpenSearch(name: string): string {
  return whyNoOpenSearch === null ? name : `${name} (${whyNoOpenSearch})`;
}

/** The first start on a machine fetches the release. */
export const nodeStartLimitMs = 300_000;

/** One node for all tests of a file; it starts in 5 to 8 s. */
export function withOpenSearch(): { readonly node: StartedOpenSearch } {
  let reaper: Reaper | undefined;
  let node: StartedOpenSearch | undefined;
  beforeAll(async () => {
    if (whyNoOpenSearch !== null) return;
    reaper = startReaper();
    node = await startEmbeddedOpenSearch({ reaper });
  }, nodeStartLimitMs);
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
