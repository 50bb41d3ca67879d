import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { stepsOf } from '../../journal/script-spec.ts';
import type { FailedRequests, TooManyVoid } from '../notes.ts';
import { countOf, type MergedSample } from '../read/cells/cell-sample.ts';
import type { RunData } from '../read/run-data.ts';
import { tooManyVoid } from '../read/void-slices.ts';
import { armsUnder } from './contrasts.ts';

/** The load levels under which too many slices are discarded for any verdict. Of a search for capacity, whose loads move, all are one. */
export function voidLevels(data: RunData): readonly TooManyVoid[] {
  const { levels, capacity } = data.scenario.load;
  if (capacity !== undefined) return tooManyVoid(data.voids);
  return levels.flatMap((load) =>
    tooManyVoid(data.voidsOf(armsUnder(data, load))).map((note) => (levels.length === 1 ? note : { ...note, load })),
  );
}

/** True where too many slices are discarded under a load level. */
export function isVoidUnder(data: RunData, load: LoadLevel): boolean {
  return voidLevels(data).some((note) => note.load === undefined || loadKey(note.load) === loadKey(load));
}

/** The run with the discarded slices of such load levels: without them there might be nothing to look at. */
export function withVoidLevels(data: RunData): RunData {
  const levels = voidLevels(data);
  if (levels.length === 0) return data;
  const named = levels.flatMap(({ load }) => load ?? []);
  return named.length === 0 ? data.withVoidSlices() : data.withVoidSlices(named);
}

/** Adds how many requests failed where slices were discarded for that: slices alone read as if they were requests. */
export function withFailures(data: RunData, note: TooManyVoid): TooManyVoid {
  if (note.byReason['failed requests'] === undefined) return note;
  const { load } = data.scenario;
  const levels = note.load === undefined ? load.levels : [note.load];
  const sample = data.withVoidSlices(levels).merged(levels.flatMap((level) => armsUnder(data, level)));
  const { count, among } = sample === null ? { count: 0, among: 0 } : countOf(sample);
  if (sample === null || count === 0) return note;
  const mostly = mostOf(sample, count, load);
  return { ...note, failed: { failed: count, requests: among, ...(mostly !== null && { mostly }) } };
}

/** The unexpected status, `errors` or `timeouts` that more than half of the failed requests came to; null where none is. */
function mostOf(
  { statuses, errors, timeouts }: MergedSample,
  failed: number,
  { workload }: LoadSpec,
): Exclude<FailedRequests['mostly'], undefined> | null {
  const requests = workload.kind === 'requests' ? workload.requests : [];
  const steps = workload.kind === 'script' ? stepsOf(workload) : requests;
  // Of a status that some request allows, it is not known how often it was a failure.
  const allowed = new Set(steps.flatMap(({ expect }) => expect ?? []).map(String));
  const unexpected = [...statuses].filter(([status]) => !status.startsWith('2') && !allowed.has(status));
  const kinds = [...unexpected, ['errors', errors], ['timeouts', timeouts]] as const;
  // More of a status than failures: a module allows it.
  return kinds.find(([, count]) => 2 * count > failed && count <= failed)?.[0] ?? null;
}
