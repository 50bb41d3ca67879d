import type { JournalSoFar } from './observations.ts';

/** What counts as after each answer: src/run/validity.ts lets a slice count where it is nearly all of them, or nearly none. */
const NEARLY_ALL = 0.9;

/** A sentence where services close the connection after each answer; null where none does. */
export function closingNote({ run, records }: JournalSoFar): string | null {
  const closing = new Set<string>();
  for (const record of records) {
    if (record.type !== 'slice') continue;
    const answers = Object.values(record.whole.statuses).reduce((sum, count) => sum + count, 0);
    if ((record.conditions?.closingAnswers ?? 0) > NEARLY_ALL * answers) closing.add(record.variant);
  }
  const { variants } = run.scenario;
  if (closing.size === 0) return null;
  const names = variants.map(({ name }) => name).filter((name) => closing.has(name));
  const who = names.length === variants.length ? 'the service' : `the service of ${names.join(', ')}`;
  return `${who} closes its connections after each answer, so latency includes connecting`;
}
