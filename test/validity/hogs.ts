import { spawn } from 'node:child_process';

/** Processes that are no part of a run, and want a core each. */
export function startHogs(count: number): { stop(): Promise<void> } {
  const hogs = Array.from({ length: count }, () => {
    // Ends by itself, in case nobody is left to end it.
    const busy = spawn(process.execPath, ['-e', 'const end = Date.now() + 120e3; while (Date.now() < end);']);
    return { busy, exited: new Promise((resolve) => busy.once('exit', resolve)) };
  });
  return {
    async stop() {
      for (const { busy } of hogs) busy.kill();
      await Promise.all(hogs.map(({ exited }) => exited));
    },
  };
}
