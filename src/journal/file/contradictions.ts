import { loadKey } from '../load-level.ts';
import { countAll, countOk } from '../outcomes.ts';
import type { RunRecord, SliceRecord } from '../records.ts';

/** Why a head contradicts itself; null where it does not. */
export function whyNoHead({ scenario: { variants, control } }: RunRecord): string | null {
  const names = new Set(variants.map(({ name }) => name));
  if (names.size < variants.length) return 'scenario.variants: two have one name';
  return names.has(control) ? null : 'scenario.control: one of the variants';
}

/** Which numbers of a slice contradict each other, or that it is of no cell of the run; null where all is well. */
export function whyNoSlice(slice: SliceRecord, { scenario }: RunRecord): string | null {
  if (!scenario.variants.some(({ name }) => name === slice.variant)) return 'variant: one of the run';
  const key = loadKey(slice.load);
  if (!scenario.load.levels.some((other) => loadKey(other) === key)) return 'load: one of the run';
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
