import { performance } from 'node:perf_hooks';
import type { LoadResult } from './load-generator.ts';

/** How busy this process is over some stretches of time, added up. */
export interface GeneratorUse {
  resume(): void;
  pause(): void;
  result(): LoadResult['generator'];
}

export function createGeneratorUse(): GeneratorUse {
  let activeMs = 0;
  let idleMs = 0;
  let cpuUs = 0;
  let since: {
    readonly loop: ReturnType<typeof performance.eventLoopUtilization>;
    readonly cpu: NodeJS.CpuUsage;
  } | null = null;
  return {
    resume() {
      since = { loop: performance.eventLoopUtilization(), cpu: process.cpuUsage() };
    },
    pause() {
      if (since === null) return;
      const { active, idle } = performance.eventLoopUtilization(since.loop);
      const { user, system } = process.cpuUsage(since.cpu);
      activeMs += active;
      idleMs += idle;
      cpuUs += user + system;
      since = null;
    },
    result: () => ({
      eventLoopUtilisation: activeMs === 0 ? 0 : activeMs / (activeMs + idleMs),
      cpuMs: cpuUs / 1000,
    }),
  };
}
