import { startEmbeddedOpenSearch } from '../stack/embedded-opensearch.ts';
import type { StartedOpenSearch } from '../stack/opensearch.ts';
import type { SessionOptions } from './session.ts';
import type { Resources } from './session-database.ts';

/** Starts OpenSearch where the scenario's stack has it on, else null; a `url` target has its own. */
export async function openSearch(
  { scenario, folder, emit }: Pick<SessionOptions, 'scenario' | 'folder' | 'emit'>,
  { reaper, cleanup, signal }: Resources,
): Promise<StartedOpenSearch | null> {
  if (scenario.stack.opensearch !== true || scenario.target.kind === 'url') return null;
  const node = await startEmbeddedOpenSearch({
    reaper,
    signal,
    logFile: folder.openSearchLog,
    onProgress: (message) => emit({ kind: 'preparing', message }),
  });
  cleanup.add(() => node.stop());
  return node;
}
