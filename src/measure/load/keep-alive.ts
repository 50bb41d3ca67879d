/** Node's server closes an idle socket after 5 s unless told otherwise; most others keep it for longer. */
const USUAL_MS = 5000;
/** An answer may be under way for this long, and the service's clock goes by its own ticks. */
const AHEAD_MS = 1000;
/** The head of an answer is rarely longer. */
const MOST_HEAD_BYTES = 4096;

/** After how long an idle socket is renewed, in ms, by `Keep-Alive: timeout=5` in the beginning of an answer. */
export function renewAfterMs(chunk: Buffer): number {
  const [, seconds] = /\r\nkeep-alive:[^\r]*\btimeout=(\d+)/i.exec(chunk.toString('latin1', 0, MOST_HEAD_BYTES)) ?? [];
  const limitMs = seconds === undefined ? USUAL_MS : Number(seconds) * 1000;
  return Math.max(limitMs - AHEAD_MS, limitMs / 2);
}
