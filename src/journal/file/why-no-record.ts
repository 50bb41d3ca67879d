import { isLevelOf } from '../capacity/run-levels.ts';
import { loadAxis } from '../load-level.ts';
import { countAll, countOk } from '../outcomes.ts';
import { type JournalRecord, type RoundRecord, type RunRecord, recordShapes, type SliceRecord } from '../records.ts';

/** Why a value is no record of the run with that head; null where it is one. A run's first line has no head before it. */
export function whyNoRecord(value: unknown, head: RunRecord | null): string | null {
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
  if (!scenario.variants.some(({ name }) => name === slice.variant)) return 'variant: one of the run';
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
