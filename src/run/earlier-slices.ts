import type { Journal } from '../journal/journal.ts';
import type { Provenance, SliceRecord } from '../journal/records.ts';

/**
 * The slices of a run that is resumed which tell what is usual where it goes on: those that were measured on the same
 * machine. On another one, with a slower disk, they would void everything.
 */
export function earlierSlices({ run, records }: Pick<Journal, 'run' | 'records'>, here: Provenance): SliceRecord[] {
  const slices: SliceRecord[] = [];
  let there = run.provenance;
  for (const record of records) {
    if (record.type === 'resume') there = record.provenance;
    else if (record.type === 'slice' && machineOf(there) === machineOf(here)) slices.push(record);
  }
  return slices;
}

function machineOf({ cpuModel, cpuCount, memoryBytes, kernel }: Provenance): string {
  return JSON.stringify([cpuModel, cpuCount, memoryBytes, kernel]);
}
