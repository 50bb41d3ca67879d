import type { Summary } from '../../judge/summary.ts';

/** ` in each of 4 processes (20 sessions)`: after the size of a pool that several have; empty where one has it. */
export function heldPoolsWords({ heldPools = [] }: Pick<Summary['run'], 'heldPools'>, variant: string): string {
  const held = heldPools.find((one) => one.variant === variant);
  if (held === undefined) return '';
  const { pools, processes, sessions } = held;
  const each = processes === pools ? `${pools} processes` : `${pools} pools`;
  return ` in each of ${each} (${sessions} sessions seen)`;
}
