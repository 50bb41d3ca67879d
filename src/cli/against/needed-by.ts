import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { completeRounds, type Journal, readJournal } from '../../journal/journal.ts';
import type { Snapshot } from '../../measure/against/snapshots.ts';
import { runFolderAt } from '../../measure/run/run-folder.ts';
import { wouldFailAgain } from '../../report/words/early-end.ts';

/** The folder of a run that is not finished and could not be resumed without this snapshot; undefined where there is none. */
export function neededBy({ folder, runs }: Pick<Snapshot, 'folder' | 'runs'>): string | undefined {
  return runs.find((run) => {
    const file = runFolderAt(run).journal;
    if (!existsSync(file)) return false;
    try {
      const journal = readJournal(file, { probes: 'left out' });
      return uses(journal, folder) && canBeResumed(journal);
    } catch {
      // Somebody else, or a newer release, may be able to read it.
      return true;
    }
  });
}

/** Another run may lie in that folder by now. */
function uses({ run }: Journal, folder: string): boolean {
  const { taken } = run.scenario.against ?? {};
  return taken !== undefined && [...taken.commits, taken.work].some((side) => dirname(side.folder) === folder);
}

function canBeResumed(journal: Journal): boolean {
  let [complete, failed]: [boolean, { code: string; message: string } | undefined] = [false, undefined];
  for (const record of journal.records) {
    if (record.type !== 'end' && record.type !== 'resume' && record.type !== 'failed') continue;
    complete = record.type === 'end';
    failed = record.type === 'failed' ? record : undefined;
  }
  const end = { complete, rounds: completeRounds(journal), ...(failed && { failed }) };
  return !complete && !wouldFailAgain(end);
}
