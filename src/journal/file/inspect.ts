import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { isModest } from '../../base/modest.ts';
import { isLevelOf } from '../capacity/run-levels.ts';
import { loadAxis } from '../load-level.ts';
import { countAll, countOk } from '../outcomes.ts';
import {
  JOURNAL_VERSION,
  type JournalRecord,
  type ProbeRecord,
  type RoundRecord,
  type RunRecord,
  recordShapes,
  type SliceRecord,
} from '../records.ts';
import { linesOf, sizeOf } from './lines.ts';
import { isIntact, type SealedLine, sealOf } from './seal.ts';

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
  leaveOutExtremes(value);
  const why = looked ? null : whyNoRecord(value, head);
  if (why !== null) throw new PgsweepError('journal', `${place()}: not a journal record: expected ${why}`);
  return value as JournalRecord;
}

/** A metric of a service may be any number: one that no journal can hold does not make the whole run unreadable. */
function leaveOutExtremes(record: unknown): void {
  const { type, values } = (record ?? {}) as Partial<ProbeRecord>;
  if (type !== 'probe' || typeof values !== 'object' || values === null) return;
  const own = values as Record<string, unknown>;
  for (const name in own) if (typeof own[name] === 'number' && !isModest(own[name])) delete own[name];
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

/** Why a value is no record of the run with that head; null where it is one. A run's first line has no head before it. */
function whyNoRecord(value: unknown, head: RunRecord | null): string | null {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(recordShapes, type)) return 'type: one of a record';
  const why = recordShapes[type as JournalRecord['type']](value);
  if (why !== null) return why;
  const record = value as JournalRecord;
  if (record.type === 'run') return whyNoHead(record);
  if (record.type === 'round' && head !== null) return whyNoRound(record, head);
  return record.type === 'slice' && head !== null ? whyNoSlice(record, head) : null;
}

/** Why a head contradicts itself; null where it does not. */
function whyNoHead({ scenario: { variants, control, load } }: RunRecord): string | null {
  if (load.levels.length === 0 && load.capacity === undefined) return 'scenario.load.levels: one or more';
  if (load.levels.some((level) => !(loadAxis(level) in level))) return 'scenario.load.levels: sizes of their kinds';
  const names = new Set(variants.map(({ name }) => name));
  if (names.size < variants.length) return 'scenario.variants: two have one name';
  return names.has(control) ? null : 'scenario.control: one of the variants';
}

/** Why a round cannot be of the run; null where it can. */
function whyNoRound({ machine }: RoundRecord, { merged }: RunRecord): string | null {
  if (machine === undefined || machine < (merged?.machines.length ?? 0)) return null;
  return 'machine: one of the run';
}

/** Which numbers of a slice contradict each other, or that it is of no cell of the run; null where all is well. */
function whyNoSlice(slice: SliceRecord, { scenario }: RunRecord): string | null {
  // The head does not know the variants that were proposed.
  const isKnown = scenario.slots !== undefined || scenario.variants.some(({ name }) => name === slice.variant);
  if (!isKnown) return 'variant: one of the run';
  if (!isLevelOf(scenario.load, slice.load)) return 'load: one of the run';
  const [ok, { count: latencies, p50Us, p95Us, p99Us }] = [countOk(slice), slice.latency];
  if (ok !== latencies) return `latency.count: ${ok}, as many as answers as expected`;
  const part = Object.entries(slice.parts ?? {}).find(([, { count }]) => count !== latencies);
  if (part !== undefined) return `parts.${part[0]}.count: ${latencies}, as many as latencies`;
  if (ok > countAll(slice.outcomes)) return 'ok: no more than all answers';
  if (p50Us > p95Us || p95Us > p99Us) return 'latency: percentiles in their order';
  const perTurn = slice.turns?.ok ?? [];
  return perTurn.length === 0 || perTurn.reduce((sum, one) => sum + one, 0) === ok
    ? null
    : `turns.ok: ${ok} together, as many as answers as expected`;
}
