import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { StartedOpenSearch } from '../../stack/common/opensearch.ts';
import type { Stack } from '../../stack/stack.ts';
import type { EmitEvent } from '../events.ts';
import type { RunFolder } from '../run-folder.ts';
import { failWithServer, type SessionContext } from './session-database.ts';

export interface SearchOptions {
  readonly scenario: Pick<ResolvedScenario, 'stack'>;
  readonly stack: Pick<Stack, 'startOpenSearch'>;
  readonly folder: Pick<RunFolder, 'openSearchLog'>;
  readonly emit: EmitEvent;
}

/** Starts OpenSearch where the scenario's stack has it on, else null. */
export async function openSearch(
  { scenario, stack, folder, emit }: SearchOptions,
  { reaper, cleanup, signal, failure }: SessionContext,
): Promise<StartedOpenSearch | null> {
  const { opensearch = false } = scenario.stack;
  if (opensearch === false) return null;
  const { version, image, heapMb, ...limits } = opensearch === true ? {} : opensearch;
  const node = await stack.startOpenSearch({
    ...(version !== undefined && { version }),
    ...(image !== undefined && { image }),
    ...(heapMb !== undefined && { heapMb }),
    limits,
    reaper,
    signal,
    logFile: folder.openSearchLog,
    onProgress: (message) => emit({ kind: 'preparing', message }),
  });
  cleanup.add(() => node.stop());
  failWithServer('OpenSearch', node, failure);
  return node;
}
