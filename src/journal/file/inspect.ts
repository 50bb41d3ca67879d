import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { JOURNAL_VERSION, type JournalRecord, type RunRecord } from '../records.ts';
import { linesOf, sizeOf } from './lines.ts';
import { isIntact, type SealedLine, sealOf } from './seal.ts';
import { whyNoRecord } from './why-no-record.ts';

/** Some twenty times what a thousand rounds write. What judging less than that may take is bounded where it is judged. */
const MOST_BYTES = 4 * 2 ** 30;

const CLOSING_BRACE = 125;

/** A journal's file as it is now, looked through once. */
export interface Inspection {
  readonly head: RunRecord;
  /** The checksum of the first line. */
  readonly first: number;
  /** Where the records end, in bytes: a last line that was cut off stands behind. */
  readonly end: number;
  /** False where no line feed ends the last record. */
  readonly isEnded: boolean;
  /** The seal of the next record. */
  readonly next: { readonly line: number; readonly after: number };
  /** The last line that was cut off, where there is one. */
  readonly cutOff: number | null;
}

/**
 * Looks through a journal. Throws PgsweepError `journal` if it cannot be read, does not begin with a run's head, or has a
 * line that is damaged or out of its place.
 */
export function inspect(file: string): Inspection {
  const size = sizeOf(file);
  if (size > MOST_BYTES) throw new PgsweepError('journal', `${file} is larger than 4 GiB`);
  const [start = Buffer.alloc(0)] = linesOf(file, { start: 0, end: size });
  const { head, first } = headOf(file, start);
  let [line, after, end, isEnded] = [1, 0, 0, true];
  for (const bytes of linesOf(file, { start: 0, end: size })) {
    const seal = sealOf(bytes);
    const isRecord = seal !== null && isIntact(bytes, seal, first);
    isEnded = end + bytes.length < size;
    // A last line without line feed that is no record was cut off by a kill, or is still being written.
    if (!isRecord && !isEnded) return { head, first, end, isEnded: true, next: { line, after }, cutOff: line };
    const why = isRecord ? whyNotNext(seal, { line, after }) : 'the record is damaged: its checksum does not fit';
    if (why !== null) {
      throw new PgsweepError('journal', `${file}:${line}: ${why}`, {
        hint: `The lines before it are intact. Keep only these (head -n ${line - 1}): pgsweep sweep --resume measures the rest again.`,
      });
    }
    [line, after, end] = [line + 1, seal?.sum ?? 0, end + bytes.length + (isEnded ? 1 : 0)];
  }
  return { head, first, end, isEnded, next: { line, after }, cutOff: null };
}

function whyNotNext(seal: SealedLine, next: Inspection['next']): string | null {
  if (seal.line !== next.line) return `the record of line ${seal.line} stands here`;
  if (seal.after === next.after) return null;
  return 'the record is from another copy of this run: it does not follow the line before';
}

function headOf(file: string, bytes: Buffer): Pick<Inspection, 'head' | 'first'> {
  const seal = sealOf(bytes);
  if (seal !== null && (seal.line !== 1 || seal.after !== 0 || !isIntact(bytes, seal, 0))) {
    throw new PgsweepError('journal', `${file}:1: the run record is damaged: its checksum does not fit`, {
      hint: 'Nothing can be read without it. run.json beside it holds the scenario and the seed of the run.',
    });
  }
  const value = parse(bytes, seal);
  const isRun = typeof value === 'object' && value !== null && 'type' in value && value.type === 'run';
  if (!isRun) {
    throw new PgsweepError('journal', `${file}:1: the first line must be the run record`, {
      hint: 'Name the folder that `pgsweep sweep` wrote, such as results/pool-size-2026-01-31T10-00-00.',
    });
  }
  const { version, provenance } = value as Partial<RunRecord>;
  if (version !== JOURNAL_VERSION) {
    throw new PgsweepError('journal', `${file}:1: journal version ${version} cannot be judged by this pgsweep`, {
      hint: `This pgsweep reads version ${JOURNAL_VERSION}. Report the run with the pgsweep that wrote it${writtenBy(provenance)}.`,
    });
  }
  if (seal === null) throw new PgsweepError('journal', `${file}:1: the run record is damaged: its checksum is missing`);
  const why = whyNoRecord(value, null);
  if (why !== null) throw new PgsweepError('journal', `${file}:1: not a run record: expected ${why}`);
  return { head: value as RunRecord, first: seal.sum };
}

/** `: 0.1.0, commit 070d3df`; empty where the journal does not say. */
function writtenBy(provenance: Partial<RunRecord['provenance']> | undefined): string {
  const { pgsweepVersion, gitCommit } = provenance ?? {};
  const parts = [pgsweepVersion, gitCommit && `commit ${gitCommit}`].filter(Boolean);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/**
 * The record of a line; `looked`: it is known to be one. Throws PgsweepError `journal` where it is none, even though its
 * checksum fits.
 */
export function readRecord(
  bytes: Buffer,
  { place, looked, head }: Pick<Inspection, 'head'> & { readonly place: () => string; readonly looked: boolean },
): JournalRecord {
  const value = parse(bytes, sealOf(bytes));
  const why = looked ? null : whyNoRecord(value, head);
  if (why !== null) throw new PgsweepError('journal', `${place()}: not a journal record: expected ${why}`);
  return value as JournalRecord;
}

/**
 * The JSON of a line without its seal; undefined where it is none. The closing brace that the record lacks is put into
 * the line: to join texts copies them, a seventh of the time of parsing.
 */
function parse(bytes: Buffer, seal: SealedLine | null): unknown {
  if (seal === null) return jsonOf(bytes.toString());
  bytes[seal.recordBytes] = CLOSING_BRACE;
  return jsonOf(bytes.toString('utf8', 0, seal.recordBytes + 1));
}
