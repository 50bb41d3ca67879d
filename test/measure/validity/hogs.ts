import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends by itself, in case nobody is left to end it. */
const work = 'process.stdout.write(`${process.pid}`); const end = Date.now() + 120e3; while (Date.now() < end);';

/** Processes that are no part of a run, and want a core each; they are at work. */
export async function startHogs(count: number): Promise<{ stop(): Promise<void> }> {
  const hogs = await Promise.all(
    Array.from({ length: count }, async () => {
      // Of a shell that ends at once: all that descends from this process would count as the run's own.
      const shell = spawn('sh', ['-c', '"$0" -e "$1" &', process.execPath, work]);
      const ended = once(shell, 'close');
      const [pid] = await once(shell.stdout, 'data');
      return { pid: Number(pid), ended };
    }),
  );
  return {
    async stop() {
      for (const { pid } of hogs) process.kill(pid);
      await Promise.all(hogs.map(({ ended }) => ended));
    },
  };
}
