import { performance } from 'node:perf_hooks';
import type { LoadResult } from './load-generator.ts';

/** Begins to watch how busy this process is; the function returns what it came to since. */
export function watchGenerator(): () => LoadResult['generator'] {
  const utilisation = performance.eventLoopUtilization();
  const since = process.cpuUsage();
  return () => {
    const cpu = process.cpuUsage(since);
    return {
      eventLoopUtilisation: performance.eventLoopUtilization(utilisation).utilization,
      cpuMs: (cpu.user + cpu.system) / 1000,
    };
  };
}
