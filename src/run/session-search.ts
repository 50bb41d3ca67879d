import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { startEmbeddedOpenSearch } from '../stack/embedded-opensearch.ts';
import type { StartedOpenSearch } from '../stack/opensearch.ts';
import type { EmitEvent } from './events.ts';
import type { RunFolder } from './run-folder.ts';
import { failWithServer, type Resources } from './session-database.ts';

export interface SearchOptions {
  readonly scenario: Pick<ResolvedScenario, 'stack' | 'target'>;
  readonly folder: Pick<RunFolder, 'openSearchLog'>;
  readonly emit: EmitEvent;
}

/** Starts OpenSearch where the scenario's stack has it on, else null; a `url` target has its own. */
export async function openSearch(
  { scenario, folder, emit }: SearchOptions,
  { reaper, cleanup, signal, failure }: Resources,
): Promise<StartedOpenSearch | null> {
  if (scenario.stack.opensearch !== true || scenario.target.kind === 'url') return null;
  const node = await startEmbeddedOpenSearch({
    reaper,
    signal,
    logFile: folder.openSearchLog,
    onProgress: (message) => emit({ kind: 'preparing', message }),
  });
  cleanup.add(() => node.stop());
  failWithServer('OpenSearch', node, failure);
  return node;
}
