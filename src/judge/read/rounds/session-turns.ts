import type { EndRecord, FailedRecord, JournalRecord, ResumeRecord } from '../../../journal/records.ts';

/** Where a run began again, and how its sessions ended. */
type SessionTurn = ResumeRecord | EndRecord | FailedRecord;

/** Reads how a run was ended and resumed. A session that completed no round is left out once the next begins: nothing was measured in it. */
export function readSessionTurns() {
  const turns: SessionTurn[] = [];
  let resumed: { readonly turn: number; readonly rounds: number } | null = null;
  return {
    turns: turns as readonly SessionTurn[],
    /** `rounds` is how many were complete by then. */
    add(record: JournalRecord, rounds: number): void {
      if (record.type === 'resume') {
        if (resumed?.rounds === rounds) turns.length = resumed.turn;
        resumed = { turn: turns.length, rounds };
      }
      if (record.type === 'resume' || record.type === 'end' || record.type === 'failed') turns.push(record);
    },
  };
}
