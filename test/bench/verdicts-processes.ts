import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type PlayedSession, playBatch, type VerdictBatch } from './verdicts-batches.ts';

/** This many sessions are given to a process at a time. */
const SESSIONS_AT_ONCE = 20;

/** Sessions `from` to before `to` of a batch. */
interface Piece {
  readonly batch: VerdictBatch;
  readonly from: number;
  readonly to: number;
}

/**
 * Plays all sessions, by as many processes as the machine has processors; what came out does not depend on how many.
 *
 * @param firstSeed the first session's; the others' follow
 * @returns for each batch its outcomes, in no order
 */
export async function playAll(
  batches: readonly VerdictBatch[],
  firstSeed: number,
  progress: (done: number, all: number) => void,
): Promise<PlayedSession[][]> {
  const outcomes = batches.map((): PlayedSession[] => []);
  const pieces = batches.flatMap((batch, i) =>
    Array.from({ length: Math.ceil(batch.sessions / SESSIONS_AT_ONCE) }, (_, nth) => {
      const from = firstSeed + nth * SESSIONS_AT_ONCE;
      return { batch, from, to: Math.min(firstSeed + batch.sessions, from + SESSIONS_AT_ONCE), into: outcomes[i] };
    }),
  );
  const all = batches.reduce((sum, { sessions }) => sum + sessions, 0);
  let done = 0;
  const work = async (player: ChildProcess): Promise<void> => {
    for (let next = pieces.shift(); next !== undefined; next = pieces.shift()) {
      const { into, ...piece } = next;
      const played = await ask(player, piece);
      into?.push(...played);
      const tenthsBefore = Math.floor((10 * done) / all);
      done += played.length;
      if (Math.floor((10 * done) / all) > tenthsBefore) progress(done, all);
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
