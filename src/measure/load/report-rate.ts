import type { Tally } from './tally.ts';

/** How often a live display hears the rate. */
const LIVE_MS = 500;

/** Tells twice a second how many answers as expected come in a second; until the timer is cleared. */
export function reportRate(tally: Pick<Tally, 'ok'>, report: (requestsPerSecond: number) => void): NodeJS.Timeout {
  let before = tally.ok;
  let beforeMs = performance.now();
  return setInterval(() => {
    // A busy event loop is late, so the time is measured and not assumed.
    const nowMs = performance.now();
    report(((tally.ok - before) * 1000) / (nowMs - beforeMs));
    before = tally.ok;
    beforeMs = nowMs;
  }, LIVE_MS);
}
