import type { JournalRecord } from '../records.ts';
import { inPlace } from './in-place.ts';

/** Damaged lines of a journal, and the rounds that they cost. Lines are counted from 1. */
export interface Damage {
  /** Lines that are not to be read: they hold no record, are out of their place, or end a round that lacks some. */
  readonly leftOut: ReadonlySet<number>;
  /** `journal.jsonl:17: a record is damaged or missing, so round 3 is left out` */
  readonly notices: readonly string[];
}

export const noDamage: Damage = { leftOut: new Set(), notices: [] };

const MOST_NOTICES = 20;

/**
 * Finds what damage costs: the round that it is in, and no other. `numbers` are the numbers of the lines, 0 where one
 * holds no record; `read` reads a line that does.
 */
export function findDamage(
  file: string,
  numbers: readonly number[],
  lines: Iterable<{ readonly line: number; readonly read: () => JournalRecord }>,
): Damage {
  const atPlace = inPlace(numbers);
  const leftOut = new Set<number>();
  const notices: string[] = [];
  const tell = (line: number, what: string): void => void notices.push(`${file}:${line}: ${what}`);
  const rounds = damagedRounds();
  let [last, firstBad] = [0, 0];
  for (const { line, read } of lines) {
    const own = numbers[line - 1] ?? 0;
    if (!atPlace.has(line - 1)) {
      leftOut.add(line);
      if (own === 0) firstBad ||= line;
      else tell(line, `the record of line ${own} stands here again, or out of its place; it is read once`);
      continue;
    }
    const missing = own - last - 1;
    last = own;
    const record = read();
    const lost = rounds.see(record, missing);
    if (missing > 0) tell(firstBad || line, `${lackOf(missing)}${costOf(lost)}`);
    else if (firstBad > 0) tell(firstBad, 'what is no record was left out');
    if (record.type === 'round' && rounds.isDamaged(record.round)) leftOut.add(line);
    firstBad = 0;
  }
  if (firstBad > 0) tell(firstBad, `${lackOf(1)}${costOf(rounds.open())}`);
  const more = notices.length - MOST_NOTICES;
  return {
    leftOut,
    notices: more > 0 ? [...notices.slice(0, MOST_NOTICES), `${file}: ${more} more such places`] : notices,
  };
}

function lackOf(records: number): string {
  return records === 1 ? 'a record is damaged or missing' : `${records} records are damaged or missing`;
}

function costOf(rounds: readonly number[]): string {
  if (rounds.length === 0) return '';
  return rounds.length === 1
    ? `, so round ${rounds[0]} is left out`
    : `, so rounds ${rounds.join(' and ')} are left out`;
}

/** Follows a journal's records and knows which rounds lack some. */
interface DamagedRounds {
  /** Takes the next record, before which so many are missing; returns which rounds those were of. */
  see(record: JournalRecord, missing: number): number[];
  isDamaged(round: number): boolean;
  /** The round that has begun and not ended, if any. */
  open(): number[];
}

function damagedRounds(): DamagedRounds {
  const damaged = new Set<number>();
  let open: number | null = null;
  let pending = 0;
  const openRound = (): number[] => (open === null ? [] : [open]);
  return {
    see(record, missing) {
      pending += missing;
      const lost = pending === 0 ? [] : openRound();
      // Told once a sitting, in whichever round that is.
      if (record.type === 'probes') return lost;
      const lacks = pending;
      pending = 0;
      if (!('round' in record) || record.type === 'lengths' || record.type === 'left') {
        // A new sitting begins an unfinished round again.
        if (record.type === 'resume') damaged.clear();
        open = null;
        return lost;
      }
      // One record that is missing between two rounds is the end of the first.
      const isOwn = lacks > 0 && (open === null || open === record.round || lacks > 1);
      if (isOwn) damaged.add(record.round);
      // An attempt that was begun again under its number has another beginning.
      open = record.type === 'round' ? null : record.round;
      return isOwn && !lost.includes(record.round) ? [...lost, record.round] : lost;
    },
    isDamaged: (round) => damaged.has(round),
    open: openRound,
  };
}
