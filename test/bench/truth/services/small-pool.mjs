// One request of six, at a random place among them, needs one of SLOTS for HOLD_MS, first come, first served; the others take
// FAST_MS. A request that would wait for a slot longer than TIMEOUT_MS is answered with 503 after that time. Slots are reckoned:
// a timer that is late makes one answer late and no slot.
import { at, randomFrom, serve, setting } from './bare.mjs';

const ONE_OF = 6;
const [holdMs, fastMs] = [setting('HOLD_MS', 40), setting('FAST_MS', 2)];
const timeoutMs = setting('TIMEOUT_MS', 60_000);
const free = new Array(setting('SLOTS', 10)).fill(0);
const random = randomFrom(process.pid);
let slow = 0;
serve((number, answer) => {
  const place = number % ONE_OF;
  if (place === 0) slow = Math.floor(random() * ONE_OF);
  const nowMs = performance.now();
  if (place !== slow) return at(nowMs + fastMs, answer);
  const slot = free.indexOf(Math.min(...free));
  const beginMs = Math.max(nowMs, free[slot]);
  if (beginMs - nowMs > timeoutMs) return at(nowMs + timeoutMs, () => answer(503));
  free[slot] = beginMs + holdMs;
  at(free[slot], answer);
});
