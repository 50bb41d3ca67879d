import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import type { SessionOptions } from '../../../src/measure/run/session.ts';
import { runLive } from '../../support/live-run.ts';

/** The services for tests. */
export const fixtures = resolve('test/fixtures/services');

/**
 * The service that makes mistakes on demand, in YAML, and its data. A variant may name another mistake. `sleep`: how long
 * Postgres sleeps in a transaction, in seconds.
 */
export function mistaken(mistake = 'none', sleep = 0.01): string {
  const env = `{ MISTAKE: ${mistake}, SLEEP: "${sleep}" }`;
  return `target: { command: ${JSON.stringify(`exec node ${fixtures}/mistaken.mjs`)}, env: ${env} }
dataset: { sql: ${JSON.stringify(`${fixtures}/mistaken.sql`)} }`;
}

interface Sweep {
  readonly rounds?: number;
  /** Target and data set in YAML: the service that makes mistakes, if nothing else is said. */
  readonly service?: string;
}

/** What is found in a real session, as `pgsweep sweep` makes it. `yaml` has no title, target and data set. */
export async function swept(yaml: string, sweep: Sweep = {}): Promise<Summary> {
  return readSwept(yaml, sweep, summarize);
}

/** What is read in the journal of such a session. */
export async function readSwept<Found>(
  yaml: string,
  { rounds = 1, service = mistaken() }: Sweep,
  read: (journal: Journal) => Found,
): Promise<Found> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-diagnosis-'));
  try {
    // The first round is made whatever the budget is.
    const budget = rounds === 1 ? '1s' : '1h';
    const text = `title: mistakes\n${service}\nrounds: { budget: ${budget} }\n${yaml}`;
    const decideStop: SessionOptions['decideStop'] = (round) => ({ stop: round >= rounds, undecided: 0 });
    const folder = await runLive({ text, file: 'mistakes.yaml', path }, { decideStop, emit: () => {} });
    return read(readJournal(folder.journal));
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** So often at most: what is never counted is a mistake of the bench. */
const TRIES = 4;

/** The same, again where the machine was so busy that the database's transactions could not be counted. */
export async function sweptAndCounted(yaml: string, sweep: Sweep = {}): Promise<Summary> {
  const reasons: string[] = [];
  while (reasons.length < TRIES) {
    const summary = await swept(yaml, sweep);
    if (isCounted(summary)) return summary;
    reasons.push(JSON.stringify({ passes: summary.passes, notes: summary.notes }));
  }
  throw new Error(`the transactions were not counted: ${reasons.join('\n')}`);
}

const isCounted = ({ comparisons }: Summary): boolean =>
  comparisons.some(({ metric, value }) => metric.startsWith('xact') && value !== null);

/** In which variants a finding was made, each once. */
export function found({ findings }: Summary, name: string): string[] {
  const cells = findings.filter((finding) => finding.name === name).flatMap((finding) => finding.cells);
  return [...new Set(cells.map(({ variant }) => variant))];
}

/** What a finding says of a variant; empty where it was not made there. */
export function textOf({ findings }: Summary, name: string, variant: string): string {
  const cells = findings.filter((one) => one.name === name).flatMap((one) => one.cells);
  return cells.find((cell) => cell.variant === variant)?.text ?? '';
}
