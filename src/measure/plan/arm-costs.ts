/** Time and CPU that one arm takes to start alone, before the first round. */
export interface ArmCosts {
  /** From the copy of its data to a service that is ready, in ms. */
  readonly startMs: number;
  /** CPU of it, in ms: the service's, and all of the copy's time. Null where it cannot be seen. */
  readonly cpuMs: number | null;
  readonly stopMs: number;
  /** How long an answer takes when nothing else is under way, in ms; absent where that is not known. */
  readonly latencyMs?: number;
  /** Processors that the arms of a round share. */
  readonly cores: number;
}

/** Times on the two-core machine that the bench was built on, in ms, side by side with the other arms of a round. */
const START_MS = 1100;
const STOP_MS = 250;

/**
 * How long it takes until all arms of a round are alive, and until all have ended, in ms. They start side by side: none is ready
 * sooner than alone, nor all sooner than the processors allow. `costs`: null before anything was started.
 */
export function armsTimeMs(arms: number, costs: ArmCosts | null): number {
  if (arms === 0) return 0;
  if (costs === null) return arms * START_MS + stopTimeMs(arms, costs);
  const { startMs, cpuMs, cores } = costs;
  return Math.max(startMs, (arms * (cpuMs ?? startMs)) / cores) + stopTimeMs(arms, costs);
}

/** How long it takes until all arms of a round have ended, in ms. `costs`: null before anything was started. */
export function stopTimeMs(arms: number, costs: ArmCosts | null): number {
  if (arms === 0) return 0;
  return costs === null ? arms * STOP_MS : costs.stopMs;
}

/** Costs of arms whose services differ: the longest start, stop and answer, and the mean of the CPU. Null where none is known. */
export function combinedCosts(costs: readonly ArmCosts[]): ArmCosts | null {
  const [first] = costs;
  if (first === undefined) return null;
  const cpu = costs.flatMap(({ cpuMs }) => cpuMs ?? []);
  const latencies = costs.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    ...first,
    startMs: Math.max(...costs.map(({ startMs }) => startMs)),
    cpuMs: cpu.length < costs.length ? null : cpu.reduce((sum, ms) => sum + ms, 0) / cpu.length,
    stopMs: Math.max(...costs.map(({ stopMs }) => stopMs)),
    ...(latencies.length > 0 && { latencyMs: Math.max(...latencies) }),
  };
}
