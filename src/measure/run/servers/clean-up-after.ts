import { leftLedgers } from '../../../base/process/ledger.ts';
import { cleanUpAfter } from '../../../base/process/reaper.ts';
import { loginForLeft } from '../../stack/external/postgres.ts';
import type { ServersOptions } from './session-servers.ts';

/** Ends and removes what the sitting before left, where it and its guard were killed. */
export async function cleanUpAfterRun({
  folder,
  stackChoice,
  emit,
}: Pick<ServersOptions, 'folder' | 'stackChoice' | 'emit'>): Promise<void> {
  for (const left of leftLedgers(folder.path)) {
    for (const found of await cleanUpAfter(left, loginForLeft(stackChoice.postgresUrl)))
      emit({ kind: 'preparing', message: `of the run before: ${found}` });
  }
}
