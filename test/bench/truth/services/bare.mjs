// A raw HTTP server that knows the truth about itself: how many requests it read, and how long it held each until its answer.
// Every second, and at its end, it appends its totals to a file of its own in the folder TRUTH_LOG.
import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const { PORT = '0', TRUTH_LOG, TRUTH_ARM = 'alone', PGSWEEP_ARM = 'alone' } = process.env;
const reasons = { 200: 'OK', 503: 'Service Unavailable' };
const answerOf = (status) => Buffer.from(`HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Length: 2\r\n\r\nok`);
const answers = new Map(Object.keys(reasons).map((status) => [Number(status), answerOf(status)]));

/** Totals since the start: answers, those with 200, and for how long these were held, in ms. */
const totals = { answers: 0, ok: 0, heldMs: 0 };

/**
 * Listens on PORT, sends the port to a parent that forked it, and ends on SIGTERM. `hold(number, answer)` gets the number of each request, from 1, and
 * calls `answer(status = 200)` once. GET /health is answered at once and counts for nothing.
 */
export function serve(hold) {
  let number = 0;
  const onRequest = (socket, isHealth) => {
    const readMs = performance.now();
    const answer = (status = 200) => {
      socket.write(answers.get(status));
      if (isHealth) return;
      totals.answers++;
      if (status !== 200) return;
      totals.ok++;
      totals.heldMs += performance.now() - readMs;
    };
    if (isHealth) answer();
    else hold(++number, answer);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    let text = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const isHealth = text.startsWith('GET /health ');
        text = text.slice(end + 4);
        onRequest(socket, isHealth);
      }
    });
  });
  const log = openLog();
  server.listen(Number(PORT), '127.0.0.1', () => process.send?.(server.address().port));
  process.on('SIGTERM', () => {
    log();
    process.exit(0);
  });
  // The bench that forked it is gone.
  process.on('disconnect', () => process.exit(0));
}

function openLog() {
  if (TRUTH_LOG === undefined) return () => {};
  mkdirSync(TRUTH_LOG, { recursive: true });
  const file = join(TRUTH_LOG, `${PGSWEEP_ARM}-${process.pid}.jsonl`);
  const write = () => appendFileSync(file, `${JSON.stringify({ arm: TRUTH_ARM, atMs: Date.now(), ...totals })}\n`);
  write();
  setInterval(write, 1000).unref();
  return write;
}

/** A number from the environment; `otherwise` where it is not set. */
export function setting(name, otherwise) {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isFinite(value)) throw new Error(`${name} has to be a number`);
  return value;
}

/** Calls back at a time of performance.now(), and never before it: a timer may be a millisecond early. */
export function at(dueMs, callback) {
  const leftMs = dueMs - performance.now();
  if (leftMs > 0) setTimeout(() => at(dueMs, callback), leftMs);
  else callback();
}

let last = 1;
/** Keeps the thread busy with so many thousand steps: 1,000 take about a millisecond. */
export function work(thousands) {
  let x = last;
  for (let i = 0; i < 1000 * thousands; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  last = x;
}

/** Numbers from 0 to 1: Numerical Recipes' generator. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
