import type { LinkReading } from '../../../journal/link/link-record.ts';
import type { JournalRecord, SliceRecord } from '../../../journal/records.ts';
import type { RunNote } from '../../notes.ts';
import { significant } from '../../stats/rounding.ts';
import { type MeasuredParts, notesOnParts, readParts } from '../parts/parts.ts';

/** The measured link between a variant's service and its database. */
export interface LinkSummary extends MeasuredParts {
  readonly variant: string;
  /** How many CPUs the processes between the two used while the variant was under load; null where that is not known. */
  readonly cpus: number | null;
}

/** Follows the records of a run. */
export interface LinkReader {
  add(record: JournalRecord): void;
  /** By variant, as they came; empty where nothing stood between. */
  links(): readonly LinkSummary[];
}

interface Seen {
  readonly readings: LinkReading[];
  cpuMs: number | null;
  loadMs: number;
}

export function readLinks(): LinkReader {
  const variants = new Map<string, Seen>();
  return {
    add(record) {
      if (record.type === 'link') {
        const seen = variants.get(record.variant) ?? { readings: [], cpuMs: 0, loadMs: 0 };
        seen.readings.push(record);
        variants.set(record.variant, seen);
      } else if (record.type === 'slice') addUse(variants, record);
    },
    links: () => [...variants].map(([variant, seen]) => summaryOf(variant, seen)),
  };
}

function addUse(variants: ReadonlyMap<string, Seen>, { variant, work, loadMs }: SliceRecord): void {
  const seen = variants.get(variant);
  if (seen === undefined) return;
  const cpuMs = work?.linkCpuMs ?? null;
  seen.cpuMs = seen.cpuMs === null || cpuMs === null ? null : seen.cpuMs + cpuMs;
  seen.loadMs += loadMs;
}

function summaryOf(variant: string, { readings, cpuMs, loadMs }: Seen): LinkSummary {
  return {
    variant,
    ...readParts(readings),
    cpus: cpuMs === null || loadMs === 0 ? null : significant(cpuMs / loadMs),
  };
}

/** A thread that is busy for this much of the time has others wait for it. */
const BUSY_CPUS = 0.7;

/** Where a part is not what was asked, or what makes it is itself a limit. */
export function linkNotes(links: readonly LinkSummary[]): RunNote[] {
  const busy = links.flatMap(({ variant, cpus }) => (cpus === null || cpus < BUSY_CPUS ? [] : [{ variant, cpus }]));
  return [
    ...links.flatMap((link) => notesOnParts(link.variant, link)),
    ...busy.map(({ variant, cpus }): RunNote => ({ kind: 'link-busy', variant, cpus })),
  ];
}
