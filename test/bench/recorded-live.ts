import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the recording of record-live.ts lies. */
export const LIVE_AND_STARTS = join(import.meta.dirname, 'recorded/live-and-starts.jsonl');

/** A round of identical arms. */
export interface RecordedRound {
  /** Each arm a process of its own, or all settings of one. */
  readonly mode: 'starts' | 'live';
  readonly round: number;
  /** Boot, warm-up and all turns. */
  readonly seconds: number;
  /** Requests/s of each arm by number of connections. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
}

/** The rounds of the recording; none where it is not there. */
export function readRecordedRounds(): RecordedRound[] {
  if (!existsSync(LIVE_AND_STARTS)) return [];
  const lines = readFileSync(LIVE_AND_STARTS, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
