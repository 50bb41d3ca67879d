import type { TurnWaits } from '../../journal/length-records.ts';
import type { LoadSpec } from '../../journal/scenario-record.ts';

/**
 * A turn is at least this many mean latencies of the slowest arm: a closed loop answers in batches, and with few of them
 * in a turn its edges decide how many are counted (a planted 10 % of 9 ms answers looked like 5.2 % in turns of 11
 * latencies, like 9.7 % in turns of 28).
 */
const LATENCIES = 25;
/**
 * Where that would leave few turns, they are shorter, down to this many latencies. Long turns let the machine's moods in: with
 * 25 connections turns of 0.8 s scattered by 6 to 8 %, with 1 connection those of 0.1 s by 2 %. In a closed loop most of a
 * long latency is queueing, and the queue is full as soon as all connections have sent; the edges do not decide, since
 * requests count by the share of their time (src/measure/load/tally.ts). test/bench/turns.ts shows that a planted change keeps its size.
 */
const FEW_TURNS = 12;
const LEAST_LATENCIES = 5;
/** A longer slice has more turns and no longer ones: five arms in turns of 0.8 s left each idle for 5.1 s, and sockets were closed. */
const LONG_TURN_MS = 550;
/** Shorter, and what lies between two turns would take longer than a tenth of them. */
const LEAST_MS = 50;
/** Time between the last answer of a turn and the first request of the next, besides the drain. */
const BETWEEN_MS = 3;
/** Sockets that are idle for longer are closed by many services: Node's own HTTP server does it after 5 s. */
const MOST_IDLE_MS = 4000;
const FEW_ARMS = 6;
/** Now and then nobody has a turn for this long, until counters are complete (src/measure/probe/meter/pass-counters.ts). */
const LONGEST_PAUSE_MS = 1100;
/** A bulk load begins on a cold process, without a latency to choose by; documents take some 20 ms with 25 connections. */
const BULK_MS = 500;
/** All requests of a bulk load count, so that its turns may be short where arms are many. */
const BULK_LEAST_MS = 100;
/** At most this share of a turn is not counted at its beginning. */
const DROP_SHARE = 0.1;
/**
 * Queues fill for as long as the last answers of a turn are waited for, and for one latency at least: until then answers come
 * sooner than later on. This much is not counted, up to this share of a turn. Without it, turns of five latencies told a mean
 * latency a quarter too small; with one latency alone, a queue for one request of 100 made a rate 5 % too high in turns of 4 s (test/measure/plan/turn-lead.test.ts).
 */
const FILL_SHARE = 0.2;
/**
 * When connections stop sending, the last answers have less company and come too soon. What is sent in the last mean latency of
 * a turn does not count, up to this share of it. In a simulation of 25 connections that share a CPU, turns of five latencies
 * told a rate 4.9 % too high without it and 1.2 % with it, those of ten latencies 2.2 and 0.1 % (test/measure/plan/turn-tail.test.ts).
 */
const TAIL_SHARE = 0.1;

/** A slice that is the run's to choose has at least this many turns, and is neither shorter nor longer than that. */
export const FEWEST_TURNS = 6;
/** Where the budget lacks the time for the rounds that an answer needs, it has fewer, down to this many. */
export const LEAST_TURNS = 2;
export const LEAST_SLICE_MS = 2000;
/**
 * A start that all arms share costs little, and more of them tell more than longer ones: in simulated sessions a change of 5 %
 * took 31 to 60 s of load so (noise of 1.5 to 3.5 % a second), and 57 to 76 s with slices of 2 s after a first one of 4.
 */
export const LEAST_LIVE_SLICE_MS = 1000;
export const LONGEST_SLICE_MS = 15_000;

/** Two rates that differ by more, as a share, differ for certain: turns that hide more than that are too short. */
const MOST_GAP = 0.01;
/** Most growth of turns at once. Longer turns hide less at their ends. */
const MOST_GROWTH = 8;
/**
 * A slice that is the run's to choose has room for this many mean latencies of its slowest arm. In a shorter one no connection
 * sends again within the part that counts: answers of 6 s in slices of 5 s gave 0/s of 0.67/s.
 */
export const ROOM_LATENCIES = 2;
/** A whole slice has room for this many of the longest waits, up to waits of 3 s. */
const WAITS = 20;
const LONGEST_FOR_WAITS_MS = 60_000;

/** How long the turns of a pass are, and how many each arm has; null where only whole slices suit. */
export interface TurnLength {
  readonly turnMs: number;
  readonly turnsPerArm: number;
}

/** Times of the answers at a load level, of the arm that needs the longest turns, in ms. */
export interface Waits {
  /** The longest mean latency of an arm. */
  readonly latencyMs: number;
  /** How long the last answers of a turn are waited for, the longest mean of an arm: a turn is not worth less. */
  readonly drainMs?: number;
  /** Shorter turns hid waits. */
  readonly leastTurnMs?: number;
}

/**
 * By what all arms together need at that load level: enough latencies, and no more time to wait for the last answers than to
 * send. Together an arm's turns take exactly `sliceMs`. With fewer than `fewTurns` they may be shorter.
 */
export function turnLength(
  { sliceMs, turn = 'auto' }: Pick<LoadSpec, 'sliceMs' | 'turn'>,
  { latencyMs, drainMs = 0, leastTurnMs = 0 }: Waits,
  fewTurns = FEW_TURNS,
): TurnLength | null {
  if (turn === 'off') return null;
  const floorMs = Math.max(LEAST_MS, drainMs, leastTurnMs);
  const turnsOf = (leastMs: number): number => Math.floor(sliceMs / Math.max(floorMs, leastMs));
  const wanted = Math.max(fewTurns, Math.ceil(sliceMs / LONG_TURN_MS));
  const turns =
    turn === 'auto'
      ? Math.max(turnsOf(LATENCIES * latencyMs), Math.min(wanted, turnsOf(LEAST_LATENCIES * latencyMs)))
      : Math.floor(sliceMs / turn);
  return turns < 2 ? null : { turnMs: sliceMs / turns, turnsPerArm: turns };
}

/** The least length of turns by what all turns so far hid at their ends, in ms; null where that is nothing for certain. */
export function leastTurnMs({ turnMs, hiddenMs }: Pick<TurnWaits, 'turnMs' | 'hiddenMs'>): number | null {
  return hiddenMs === 0 ? null : Math.min(MOST_GROWTH * turnMs, hiddenMs / MOST_GAP);
}

/** How long a slice has to be that is whole since its waits outlast turns, in ms. */
export function sliceForWaits(longestMs: number): number {
  return Math.min(LONGEST_FOR_WAITS_MS, WAITS * longestMs);
}

/**
 * How many arms take turns with each other: so many that none is idle for long, and at least a few, since every group
 * needs both arms of the control: sockets that were closed meanwhile are opened again, which costs less.
 * Between two turns of an arm come at most two more than there are arms, and beside a pause one less (turn-order.ts).
 */
export function mostArmsInTurns(turnMs: number, latencyMs: number): number {
  const eachMs = turnMs + latencyMs + BETWEEN_MS;
  const besidePause = Math.floor((MOST_IDLE_MS - LONGEST_PAUSE_MS) / eachMs) + 1;
  return Math.max(FEW_ARMS, Math.min(Math.floor(MOST_IDLE_MS / eachMs) - 2, besidePause));
}

/**
 * The shortest slice that still has this many turns; where they would be too long for any, the shortest whole one. Arms that
 * are one process (`settleMs`) have no whole slices, and turns as long as what follows a switch uncounted.
 */
export function leastSliceMs(
  { turn = 'auto', settleMs, leastSliceMs: ofUsersMs = 0 }: Pick<LoadSpec, 'turn' | 'settleMs' | 'leastSliceMs'>,
  latencyMs: number,
  turns = FEWEST_TURNS,
): number {
  if (ofUsersMs > 0) return Math.max(LEAST_SLICE_MS, ofUsersMs);
  if (turn === 'off') return Math.max(LEAST_SLICE_MS, sliceForAnswers(latencyMs));
  const turnMs = turn === 'auto' ? Math.max(LEAST_MS, LEAST_LATENCIES * latencyMs, settleMs ?? 0) : turn;
  const leastMs = turns * turnMs;
  if (settleMs !== undefined) return Math.min(LONGEST_SLICE_MS, Math.max(LEAST_LIVE_SLICE_MS, leastMs));
  return leastMs > LONGEST_SLICE_MS
    ? Math.max(LEAST_SLICE_MS, sliceForAnswers(latencyMs))
    : Math.max(LEAST_SLICE_MS, leastMs);
}

/** How long a whole slice of a closed loop has to be that requests are sent in the part of it that counts, in ms. */
export function sliceForAnswers(latencyMs: number): number {
  return Math.min(LONGEST_FOR_WAITS_MS, ROOM_LATENCIES * latencyMs);
}

/** How long a turn of a bulk load is, in milliseconds: so short that no arm is idle for long, whatever their number. */
export function bulkTurnMs(arms: number): number {
  const mostMs = Math.floor((MOST_IDLE_MS - BULK_MS) / (arms + 2));
  return Math.max(BULK_LEAST_MS, Math.min(BULK_MS, mostMs));
}

/** The part of a turn that counts, in milliseconds from its start. */
export interface CountedPart {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Facts that set the counted part of a turn. */
export interface TurnEnds extends Pick<Waits, 'latencyMs' | 'drainMs'> {
  readonly dropMs: number;
  /** How many connections of a closed loop; null for other loads, which do not send by answers. */
  readonly clients: number | null;
}

/** All of a turn but its beginning, until the queue is full, and where connections share a service what they send last. */
export function countedPart(turnMs: number, { dropMs, latencyMs, drainMs = 0, clients }: TurnEnds): CountedPart {
  const fillMs = Math.max(latencyMs, drainMs);
  const tailMs = clients !== null && clients > 1 ? Math.min(latencyMs, TAIL_SHARE * turnMs) : 0;
  return {
    fromMs: Math.max(Math.min(dropMs, DROP_SHARE * turnMs), Math.min(fillMs, FILL_SHARE * turnMs)),
    toMs: turnMs - tailMs,
  };
}
