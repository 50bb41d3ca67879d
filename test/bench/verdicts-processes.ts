import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type PlayedSession, playBatch, type VerdictBatch } from './verdicts-batches.ts';
import type { Kept } from './verdicts-kept.ts';

/** This many sessions are given to a process at a time. */
const SESSIONS_AT_ONCE = 20;

/** Sessions `from` to before `to` of a batch. */
export interface Piece {
  readonly batch: VerdictBatch;
  readonly from: number;
  readonly to: number;
}

export interface Playing {
  /** The first session's seed; the others' follow. */
  readonly firstSeed: number;
  /** What was played before, and where more is kept. */
  readonly kept: Kept;
  /** No piece begins after this, in ms of performance.now(). */
  readonly until: number;
  progress(done: number, all: number): void;
}

/**
 * Plays sessions, by as many processes as the machine has processors; what came out does not depend on how many. Batches take
 * turns, so that all have some where the time ends.
 *
 * @returns for each batch its outcomes, in no order
 */
export async function playAll(
  batches: readonly VerdictBatch[],
  { firstSeed, kept, until, progress }: Playing,
): Promise<PlayedSession[][]> {
  const outcomes = batches.map((): PlayedSession[] => []);
  const all = batches.flatMap((batch, i) =>
    Array.from({ length: Math.ceil(batch.sessions / SESSIONS_AT_ONCE) }, (_, nth) => {
      const from = firstSeed + nth * SESSIONS_AT_ONCE;
      const to = Math.min(firstSeed + batch.sessions, from + SESSIONS_AT_ONCE);
      return { nth, into: outcomes[i], piece: { batch, from, to } };
    }),
  );
  const pieces = all.filter(({ piece, into }) => {
    const before = kept.of(piece);
    into?.push(...before);
    return before.length === 0;
  });
  pieces.sort((a, b) => a.nth - b.nth);
  const open = pieces.length;
  const work = async (player: ChildProcess): Promise<void> => {
    while (performance.now() < until) {
      const next = pieces.shift();
      if (next === undefined) return;
      const played = await ask(player, next.piece);
      next.into?.push(...played);
      kept.keep(next.piece, played);
      progress(open - pieces.length, open);
    }
  };
  const players = Array.from({ length: availableParallelism() }, () =>
    fork(fileURLToPath(import.meta.url), { serialization: 'advanced' }),
  );
  try {
    await Promise.all(players.map(work));
  } finally {
    for (const player of players) player.kill();
  }
  return outcomes;
}

async function ask(player: ChildProcess, piece: Piece): Promise<PlayedSession[]> {
  const ended = new AbortController();
  const over = once(player, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('a process that plays sessions ended');
  });
  player.send(piece);
  try {
    const [played] = await Promise.race([once(player, 'message'), over]);
    return played;
  } finally {
    ended.abort();
    over.catch(() => undefined);
  }
}

// This file is also the program of each of those processes.
process.on('message', ({ batch, from, to }: Piece) => process.send?.(playBatch(batch, from, to)));
