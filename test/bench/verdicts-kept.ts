import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlayedSession } from './verdicts-batches.ts';
import type { Piece } from './verdicts-processes.ts';

/** Pieces that were played before. */
export interface Kept {
  /** Empty where it was not played yet. */
  of(piece: Piece): readonly PlayedSession[];
  keep(piece: Piece, played: readonly PlayedSession[]): void;
}

/** Nothing is kept. */
export const noneKept: Kept = { of: () => [], keep: () => undefined };

/**
 * Keeps pieces in a folder, a file for each state of the judge and of the simulation: what another judge played is no
 * part of the same batch.
 */
export function keptIn(folder: string): Kept {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${codeHash()}.ndjson`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const known = new Map<string, readonly PlayedSession[]>();
  for (const line of lines) {
    const { key, played } = JSON.parse(line);
    known.set(key, played);
  }
  return {
    of: (piece) => known.get(keyOf(piece)) ?? [],
    keep: (piece, played) => appendFileSync(file, `${JSON.stringify({ key: keyOf(piece), played })}\n`),
  };
}

/** How many sessions a batch has does not change a piece of it. */
function keyOf({ batch: { sessions: _, ...batch }, from, to }: Piece): string {
  return hashOf(JSON.stringify({ batch, from, to }));
}

function codeHash(): string {
  const judge = readdirSync('src/judge', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const own = ['test/bench/verdicts-session.ts', 'test/bench/verdicts-batches.ts'];
  const files = [...judge.sort().map((name) => join('src/judge', name)), ...own];
  return hashOf(files.map((path) => readFileSync(path, 'utf8')).join('\n'));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
