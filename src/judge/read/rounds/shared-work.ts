import { countAll } from '../../../journal/outcomes.ts';
import type { SliceRecord } from '../../../journal/records.ts';

/** What background processes of a Postgres server did for all arms that share it, and for how many requests. */
export interface SharedWork {
  readonly cpuMs: number;
  /** Bytes of data files, which sessions write too. */
  readonly dataBytes: number;
  /** Bytes of WAL that were written in no arm's turn. */
  readonly walBytes: number;
  readonly requests: number;
}

/** Adds the part of a slice; null as long as no arm shared a server whose processes could be seen. */
export function addShared(
  sum: SharedWork | null,
  { work, whole }: Pick<SliceRecord, 'work' | 'whole'>,
): SharedWork | null {
  const { arms = 1, sharedCpuMs = null, dataBytes = null, laterWalBytes = null } = work?.background ?? {};
  if (arms === 1 || sharedCpuMs === null) return sum;
  return {
    cpuMs: (sum?.cpuMs ?? 0) + sharedCpuMs,
    dataBytes: (sum?.dataBytes ?? 0) + (dataBytes ?? 0),
    walBytes: (sum?.walBytes ?? 0) + (laterWalBytes ?? 0),
    requests: (sum?.requests ?? 0) + countAll(whole),
  };
}
