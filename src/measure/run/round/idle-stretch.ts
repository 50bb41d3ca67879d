import type { IdleRecord } from '../../../journal/pass-records.ts';
import type { DatabaseCounters } from '../../../journal/records.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';
import { countersBetween, SETTLE_MS } from '../../probe/meter/database-counters.ts';
import { addedUp, restingShare } from './idle-work.ts';
import { meteredArm } from './observe-pass.ts';
import { type LiveArm, type RoundContext, type RoundProgress, timed } from './round-context.ts';

/** All arms are left alone for so many pieces of time, to distinguish work that comes once from work at rest. */
const PIECES = 3;
const PIECE_MS = 1000;

/**
 * Leaves all arms alone for a moment once they are warm, and records what each does by itself: polls, timers and other
 * work that follows time and not requests. Once a session.
 *
 * A session that a load has used reports the rest of it 10 s later, or with its next transaction. So where a database
 * counted nothing in the first stretch, it does nothing at rest; where it counted something, that may be such a rest, and
 * it is looked at again when all rests have been reported.
 */
export async function watchIdle(
  context: RoundContext,
  round: number,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  const { clock, journal, signal } = context.io;
  const { meter, countersReader, idleCpuShares } = context.watch;
  if (meter === null && countersReader === null) return;
  const settledAtMs = (progress.loadEndedAtMs ?? Number.NEGATIVE_INFINITY) + SETTLE_MS;
  await timed(clock, progress.phases, 'waitMs', async () => {
    let seen = await stretch(context, round, arms);
    if (seen.some(({ delta }) => delta !== null && countsAnything(delta))) {
      await clock.sleep(Math.max(0, settledAtMs - clock.nowMs()), signal);
      seen = await stretch(context, round, arms);
    }
    for (const record of seen) {
      journal.append(record);
      const { restingCpuMs } = record;
      if (restingCpuMs !== undefined) idleCpuShares.set(record.arm, restingCpuMs / record.durationMs);
    }
  });
}

/**
 * Leaves arms alone that have had no load, and keeps which share of a CPU they use at rest: a bulk load comes before they
 * are warm. Once a session; nothing is recorded.
 */
export async function watchCold(
  context: RoundContext,
  arms: readonly LiveArm[],
  progress: RoundProgress,
): Promise<void> {
  const { meter, coldCpuShares } = context.watch;
  if (meter === null || arms.every(({ arm }) => coldCpuShares.has(arm.name))) return;
  const pieces = await timed(context.io.clock, progress.phases, 'waitMs', () => piecesOf(context, arms));
  const durationMs = pieces.reduce((sum, piece) => sum + piece.durationMs, 0);
  for (const [index, { arm }] of arms.entries()) {
    const { restingCpuMs } = cpuOf(pieces, index, durationMs);
    if (restingCpuMs !== undefined) coldCpuShares.set(arm.name, restingCpuMs / durationMs);
  }
}

async function stretch(context: RoundContext, round: number, arms: readonly LiveArm[]): Promise<IdleRecord[]> {
  const { clock } = context.io;
  const { countersReader } = context.watch;
  const databases = arms.map(({ database }) => database);
  const before = await countersReader?.read(databases);
  const start = clock.nowMs();
  const pieces = await piecesOf(context, arms);
  const durationMs = clock.nowMs() - start;
  const after = await countersReader?.read(databases);
  // What sessions report late is no work at rest.
  const clockSet = await countersReader?.clockSet(databases, start);
  return arms.map(({ arm, database }, index) => {
    const [from, to] = [before?.get(database), after?.get(database)];
    const delta = from === undefined || to === undefined || clockSet?.has(database) ? null : countersBetween(from, to);
    return { type: 'idle', round, arm: arm.name, durationMs, delta, ...cpuOf(pieces, index, durationMs) };
  });
}

interface Piece {
  readonly durationMs: number;
  /** By arm; empty where it cannot be seen. */
  readonly work: readonly TurnWorkRecord[];
}

async function piecesOf(context: RoundContext, arms: readonly LiveArm[]): Promise<readonly Piece[]> {
  const pieces: Piece[] = [];
  while (pieces.length < PIECES) pieces.push(await pieceOf(context, arms));
  return pieces;
}

async function pieceOf(context: RoundContext, arms: readonly LiveArm[]): Promise<Piece> {
  const { clock, signal } = context.io;
  const { meter } = context.watch;
  await meter?.begin(arms.map(meteredArm(context)));
  const start = clock.nowMs();
  await clock.sleep(PIECE_MS, signal);
  const durationMs = clock.nowMs() - start;
  return { durationMs, work: (await meter?.end()) ?? [] };
}

/** CPU time of an arm, and the part that it uses at rest. */
function cpuOf(
  pieces: readonly Piece[],
  arm: number,
  durationMs: number,
): Pick<IdleRecord, 'cpuMs' | 'restingCpuMs' | 'backgroundCpuMs'> {
  const own = pieces.flatMap((piece) => {
    const cpuMs = piece.work[arm]?.idleCpuMs ?? null;
    return cpuMs === null ? [] : [{ cpuMs, durationMs: piece.durationMs }];
  });
  const background = pieces.flatMap(({ work, durationMs }) => {
    const cpuMs = work[arm]?.background?.cpuMs ?? null;
    return cpuMs === null ? [] : [{ cpuMs, durationMs }];
  });
  return {
    ...(own.length < PIECES
      ? { cpuMs: null }
      : { cpuMs: addedUp(own).cpuMs, restingCpuMs: restingShare(own) * durationMs }),
    ...(background.length === PIECES && { backgroundCpuMs: addedUp(background).cpuMs }),
  };
}

function countsAnything(delta: DatabaseCounters): boolean {
  return Object.values(delta).some((count) => count > 0);
}
