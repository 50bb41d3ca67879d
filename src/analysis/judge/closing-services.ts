import { countAll } from '../../journal/outcomes.ts';
import type { SliceRecord } from '../../journal/records.ts';
import type { ClosingServices } from '../notes.ts';
import type { Observations } from '../read/aggregate-run.ts';

/** What counts as after each answer: src/run/validity/validity.ts lets a slice count where it is nearly all of them, or nearly none. */
const NEARLY_ALL = 0.9;

/** Whether the service closed the connection after each answer of a slice. */
export function closesConnections({ whole, connections, conditions }: SliceRecord): boolean {
  const answers = countAll({ ...whole, errors: 0, timeouts: 0 });
  const closing = connections?.closingAnswers ?? conditions?.closingAnswers ?? 0;
  return closing > NEARLY_ALL * answers;
}

/** A note where services close the connection after each answer; null where none does. */
export function closingServices({ scenario, closing }: Observations): ClosingServices | null {
  const variants = scenario.variants.map(({ name }) => name).filter((name) => closing.has(name));
  if (variants.length === 0) return null;
  return { kind: 'closing-services', variants, all: variants.length === scenario.variants.length };
}
