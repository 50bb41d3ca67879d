import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the recordings lie: every turn of five identical arms. They are no part of the repository. */
export const RECORDINGS = process.env.PGSWEEP_RECORDINGS ?? join(import.meta.dirname, '../../../shared/noise');

/** What is said where they are not. */
export const NO_RECORDINGS = `skipped: there are no recordings in ${RECORDINGS} (PGSWEEP_RECORDINGS names another folder)`;

/** The arms of a recording. */
export const ARMS = [0, 1, 2, 3, 4];

/** A turn of a recording. */
export interface Turn {
  readonly round: number;
  readonly phase: string;
  readonly connections: number;
  /** Its place among all turns of the round. */
  readonly seq: number;
  readonly arm: number;
  readonly counted: number;
  readonly counted_ms: number;
  readonly all: number;
  readonly wall_ms: number;
  readonly service_cpu_ms: number;
  readonly postgres_cpu_ms: number;
  /** Of the whole machine, 10 ms each. */
  readonly steal_ticks: number;
  readonly busy_ticks: number;
}

/** The turns of a recording, as they were taken; null where it is not there. */
export function readTurns(name: string, folder = RECORDINGS): Turn[] | null {
  const file = join(folder, `${name}.csv`);
  if (!existsSync(file)) return null;
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    const entries = names.map((name, i) => [name, name === 'phase' ? cells[i] : Number(cells[i])]);
    return Object.fromEntries(entries) as unknown as Turn;
  });
}

/** The sum of something over turns. */
export function sumOf(turns: readonly Turn[], pick: (turn: Turn) => number): number {
  return turns.reduce((total, turn) => total + pick(turn), 0);
}
