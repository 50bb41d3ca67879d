import { countAll } from '../journal/outcomes.ts';
import type { SliceRecord } from '../journal/records.ts';
import type { Observations } from './observations.ts';

/** What counts as after each answer: src/run/validity.ts lets a slice count where it is nearly all of them, or nearly none. */
const NEARLY_ALL = 0.9;

/** Whether the service closed the connection after each answer of a slice. */
export function closesConnections({ whole, conditions }: SliceRecord): boolean {
  const answers = countAll({ ...whole, errors: 0, timeouts: 0 });
  return (conditions?.closingAnswers ?? 0) > NEARLY_ALL * answers;
}

/** A sentence where services close the connection after each answer; null where none does. */
export function closingNote({ scenario, closing }: Observations): string | null {
  const names = scenario.variants.map(({ name }) => name).filter((name) => closing.has(name));
  if (names.length === 0) return null;
  const who = names.length === scenario.variants.length ? 'the service' : `the service of ${names.join(', ')}`;
  return `${who} closes its connections after each answer, so latency includes connecting`;
}
