import { performance } from 'node:perf_hooks';
import { Counter, Histogram, type Registry } from 'prom-client';

/** How often the lag is measured: often enough for a p99 of a few seconds, at a cost that cannot be measured. */
const TICK_MS = 10;

const bucketsSeconds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * Counts how busy the event loop is and how late it runs its timers. prom-client's own lag begins again whenever
 * somebody reads it, so two readers spoil each other's; these only grow, and every reader takes differences. Returns
 * what stops the measuring.
 */
export function watchEventLoop(registers: Registry[]): () => void {
  const lag = new Histogram({
    name: 'event_loop_lag_seconds',
    help: `How late a timer of ${TICK_MS} ms ran.`,
    buckets: bucketsSeconds,
    registers,
  });
  const born = performance.eventLoopUtilization();
  new Counter({
    name: 'event_loop_active_seconds_total',
    help: 'Time that the event loop did not wait for something to do. Its rate is the utilisation.',
    registers,
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization(born).active / 1000);
    },
  });
  let dueMs = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lag.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + TICK_MS;
  }, TICK_MS).unref();
  return () => clearInterval(timer);
}
